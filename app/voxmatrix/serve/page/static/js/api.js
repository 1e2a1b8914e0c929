// The server's API. What it says about an error is shown in its own words.

import { lost } from "./connection.js";
import { known, t } from "./i18n.js";
import { askForKey, heldKey } from "./key.js";
import { sentence } from "./words.js";

/** A request that did not succeed; its message is for people. Without a status there was no answer. */
export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * The answer to a request, whose status is 2xx. `body` is a Blob, or what becomes JSON.
 * Throws a Problem, or AbortError if `signal` aborts it.
 * @param {string} path
 * @param {{method?: string, body?: any, signal?: AbortSignal}} [options]
 */
export function ask(path, { method, body, signal } = {}) {
  return answered(async (key) => {
    const headers = {};
    if (key) headers.Authorization = `Bearer ${key}`;
    const isFile = body instanceof Blob;
    if (body) headers["Content-Type"] = isFile ? body.type : "application/json";
    const sent = isFile ? body : body && JSON.stringify(body);
    const options = { method: method ?? (body ? "POST" : "GET"), headers, signal, body: sent };
    return send(path, options).catch((error) => {
      if (error.name === "AbortError") throw error;
      lost();
      throw new Problem(t("server.gone"));
    });
  });
}

/** The Response to what `request` sends with a key, which is asked for if the server wants one. */
export async function answered(request) {
  const key = heldKey();
  const response = await request(key);
  if (response.ok) return response;
  const message = await said(response);
  if (response.status !== 401) throw new Problem(message, response.status);
  // Another request may have asked for the key in the meantime.
  if (key === heldKey()) await askForKey(key ? t("server.wrong_key") : "");
  return answered(request);
}

/** The JSON of an answer to a request like that of `ask`. */
export const read = async (path, options) => (await ask(path, options)).json();

/** Speech of a text as a take says it, as a streamed answer: events, if the times of its words are wanted. */
export const speech = (take, input, format, signal = undefined, timed = false) =>
  ask("v1/audio/speech", {
    signal,
    body: {
      model: "tts-1", input, ...(timed && { stream_format: "sse", timestamp_granularities: ["word"] }), voice: take.voice, speed: take.speed, knobs: take.knobs, response_format: format,
      sentence_pause: take.sentence_pause, volume_multiplier: take.volume, lexicon: take.lexicon, cast: take.cast,
    },
  });

/** What only reads is sent again (see reload.js). */
const send = (path, options) =>
  fetch(path, options).catch(async (error) => {
    if (error.name === "AbortError" || options.method !== "GET") throw error;
    await new Promise((done) => setTimeout(done, 300));
    return fetch(path, options);
  });

async function said(response) {
  const text = await response.text();
  const again = response.headers.get("Retry-After");
  let message = t("server.status", { status: response.status });
  try {
    const { error } = JSON.parse(text);
    message = known("code", error.code, sentence(error.message));
  } catch {
    // Not the server itself, but something before it.
  }
  return again ? t("server.again", { message, seconds: again }) : message;
}
