// Sends a file that a job will need. Only XMLHttpRequest tells how much of it has left.

import { Problem, capital } from "../api.js";
import { askForKey, heldKey } from "../key.js";

/**
 * Send a File or a Blob with a name. `onProgress` gets the part that was sent (0…1); `signal` ends it.
 * Returns `{id, name, bytes}`; throws a Problem, or AbortError.
 */
export async function upload(file, onProgress = () => {}, signal = undefined) {
  const key = heldKey();
  const request = await sent(file, key, onProgress, signal);
  if (request.status === 201) return JSON.parse(request.response);
  const message = saidBy(request);
  if (request.status !== 401) throw new Problem(message, request.status);
  // Another request may have asked for the key in the meantime.
  if (key === heldKey()) await askForKey(message);
  return upload(file, onProgress, signal);
}

function sent(file, key, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/v1/files?name=${encodeURIComponent(file.name)}`);
    if (key) request.setRequestHeader("Authorization", `Bearer ${key}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onload = () => resolve(request);
    request.onerror = () => reject(new Problem("The file could not be sent: the server does not answer, or refused it."));
    request.onabort = () => reject(new DOMException("It was cancelled.", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function saidBy({ status, response }) {
  try {
    return capital(JSON.parse(response).error.message);
  } catch {
    return `The server answered ${status}.`;
  }
}
