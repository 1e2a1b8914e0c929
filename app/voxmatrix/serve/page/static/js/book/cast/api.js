// What the page asks the server for about who speaks in a book; all but `readChapter` answer with the cast.

import { read } from "../../api.js";

const at = (...parts) => ["v1/casts", ...parts].join("/");
const put = (path, body) => read(path, { method: "PUT", body });

/** Find who speaks in `{file: ID}` or `{job: ID}`; `signal` ends that. */
export const openCast = (source, signal) => read(at(), { body: source, signal });
/** `{paragraphs: [[{text, speech, who, sure, voice, corrected}]]}`; what is told has a text only. */
export const readChapter = (id, chapter, part) => read(`${at(id, "chapters", chapter)}?part=${part}`);
export const changePerson = (id, change) => put(at(id, "people"), change);
/** Two names are one person's; without `into`, the name is somebody else's. */
export const changeName = (id, name, into) => put(at(id, "names"), { name, into });
export const changeSpeech = (id, chapter, speech, who) => put(at(id, "chapters", chapter, "speeches", speech), { who });
export const changeVoices = (id, change) => put(at(id, "voices"), change);
/** To be asked until it is `complete`. */
export const proposeVoices = (id, voice) => read(at(id, "proposal"), { body: { voice } });
export const tableUrl = (id) => at(id, "table");
export const replaceTable = (id, toml) => put(tableUrl(id), { toml });
