// Sends a file that a job will need. Only XMLHttpRequest tells how much of it has left.

import { answered, Problem } from "../api.js";
import { t } from "../i18n.js";

/**
 * Send a File or a Blob with a name. `onProgress` gets the part that was sent (0…1); `signal` ends it.
 * Returns `{id, name, bytes}`; throws a Problem, or AbortError.
 */
export const upload = async (file, onProgress = () => {}, signal = undefined) =>
  (await answered((key) => sent(file, key, onProgress, signal))).json();

function sent(file, key, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `v1/files?name=${encodeURIComponent(file.name)}`);
    if (key) request.setRequestHeader("Authorization", `Bearer ${key}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onload = () => resolve(new Response(request.response, { status: request.status }));
    request.onerror = () => reject(new Problem(t("server.upload_failed")));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
