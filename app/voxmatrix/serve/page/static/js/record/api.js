// What the tab asks the server for.

import { ask, read } from "../api.js";
import { createJob } from "../jobs/api.js";

const ALL = "v1/recordings";
const pathOf = ({ profile, name }, ...rest) => [ALL, ...[profile, name, ...rest].map(encodeURIComponent)].join("/");

export const addressOf = ({ profile, name }, number) =>
  ["#/record", ...[profile, name, ...(number ? [number] : [])].map(encodeURIComponent)].join("/");

export const readLists = () => read(ALL);
export const readList = (list) => read(pathOf(list));
export const createList = (body) => read(ALL, { body });
/** Check a list for a training; the job. */
export const checkList = ({ profile, name, language }) => createJob({ kind: "prepare", recordings: { profile, list: name }, language });
export const saveTake = (list, number, wav) => read(pathOf(list, number), { method: "PUT", body: wav });
export const skipPrompt = (list, number, skipped) => read(pathOf(list, number), { method: "PATCH", body: { skipped } });
export const readTake = async (list, number) => (await ask(pathOf(list, `${number}.wav`))).arrayBuffer();
