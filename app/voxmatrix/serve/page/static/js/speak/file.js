// A long text in a format that the server writes: a job, which is shown in the tab Jobs.

import { createJob } from "../jobs/api.js";
import { upload } from "../jobs/upload.js";
import { shortened } from "../words.js";

const CONTAINERS = { aac: "m4a", pcm: "wav" };

export async function makeFile({ text, voice, speed, knobs, sentence_pause, volume, lexicon, cast }, format) {
  const { id } = await upload(new File([text], "text.txt"));
  await createJob({ kind: "speech", file: id, title: shortened(text, 60), voice, speed, knobs, sentence_pause, volume, lexicon, cast, format: CONTAINERS[format] ?? format });
  location.hash = "#/jobs";
}
