// Load the page again when a script or a style did not arrive: browsers end requests when a network interface comes or
// goes. Not a module: modules are what may not arrive.

const { lost } = document.currentScript.dataset;
let whole = true;
const onError = ({ target }) => (whole &&= target === window);
addEventListener("error", onError, true); // errors of elements do not bubble
addEventListener("load", () => {
  const count = whole ? 0 : Number(sessionStorage.reloads ?? 0) + 1;
  sessionStorage.reloads = count;
  if (count > 5) document.getElementById("connection").textContent = lost;
  else if (count) setTimeout(() => location.reload(), 500 * count);
});
