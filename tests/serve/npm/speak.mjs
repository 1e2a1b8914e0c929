// Use OpenAI's official client on the server at URL, write its audio into FOLDER, and print what happened as JSON.
// node speak.mjs URL FOLDER KEY

import { writeFile } from "node:fs/promises";
import OpenAI from "openai";

const [url, folder, key] = process.argv.slice(2);
const sentence = "The quick brown fox jumps over the lazy dog.";
const client = (apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const speak = (fields = {}, apiKey = key) =>
  client(apiKey).audio.speech.create({ model: "tts-1", voice: "alloy", input: sentence, ...fields });

// The class of the error that a request raises.
async function raised(request) {
  try {
    await (await request).arrayBuffer();
  } catch (error) {
    const { status, code, type, requestID } = error;
    const retryAfter = error.headers?.get("retry-after") ?? null;
    return { name: error.constructor.name, known: error instanceof OpenAI.APIError, status, code, type, requestID, retryAfter };
  }
  return null;
}

for (const format of ["mp3", "opus", "aac", "flac", "wav", "pcm"]) {
  const answer = await speak({ response_format: format });
  await writeFile(`${folder}/speech.${format}`, Buffer.from(await answer.arrayBuffer()));
}

const streamed = [];
for await (const piece of (await speak({ input: `${sentence} `.repeat(10), response_format: "wav" })).body) streamed.push(piece);
await writeFile(`${folder}/streamed.wav`, Buffer.concat(streamed));

const errors = {
  key: await raised(speak({}, "wrong")),
  voice: await raised(speak({ voice: "nobody" })),
  model: await raised(speak({ model: "gpt-99" })),
};
const crowd = await Promise.all(Array.from({ length: 12 }, () => raised(speak({ input: `${sentence} `.repeat(20) }))));
const models = (await client(key).models.list()).data.map((model) => model.id);
console.log(JSON.stringify({ pieces: streamed.length, errors, crowd, models }));
