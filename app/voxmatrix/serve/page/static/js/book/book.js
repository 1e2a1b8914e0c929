// The tab Book: all audiobooks; at #/book/file/ID and #/book/JOB/change what will be made, with /cast who speaks in it;
// at #/book/JOB how it is made.

import { onBack } from "../connection.js";
import { byId } from "../dom.js";
import { Audiobook } from "./audiobook.js";
import { Casting } from "./cast/cast.js";
import { Setup } from "./setup.js";
import { Shelf } from "./shelf.js";

const ID = /^[0-9a-f]{32}$/;

export function startBook() {
  const place = byId("book");
  let view = null;

  function show(parts) {
    leave();
    view = viewOf(place, parts);
    view.load();
  }
  function leave() {
    view?.leave();
    view = null;
  }

  window.addEventListener("hashchange", () => location.hash.startsWith("#/book") || leave());
  onBack(() => view?.load());
  return show;
}

function viewOf(place, [first, second, third, fourth]) {
  if (first === "file" && ID.test(second) && third === "cast") return new Casting(place, { file: second }, fourth);
  if (ID.test(first) && second === "cast") return new Casting(place, { job: first }, third);
  if (first === "file" && ID.test(second)) return new Setup(place, { file: second });
  if (ID.test(first) && second === "change") return new Setup(place, { job: first }, third);
  if (ID.test(first)) return new Audiobook(place, first);
  return new Shelf(place);
}
