// What happens when the page is opened.

import { read } from "./api.js";
import { byId } from "./dom.js";
import { startLanguage } from "./language.js";
import { startNowPlaying } from "./sound/now-playing.js";
import { startSpeak } from "./speak/speak.js";
import { startTabs, whenShown } from "./tabs.js";
import { startTheme } from "./theme.js";

startTheme();
startLanguage();
startNowPlaying();
const settings = read("page/settings.json");
startTabs({
  speak: startSpeak(settings),
  voices: whenShown("voices-panel", async () => (await import("./voices/voices.js")).startVoices(settings)),
  record: whenShown("record", async () => (await import("./record/record.js")).startRecord()),
  train: whenShown("train", async () => (await import("./train/train.js")).startTrain()),
  book: whenShown("book", async () => (await import("./book/book.js")).startBook()),
  jobs: whenShown("jobs", async () => (await import("./jobs/jobs.js")).startJobs()),
  machine: whenShown("machine-panel", async () => (await import("./machine/machine.js")).startMachine()),
});
settings.then(({ version }) => (byId("version").textContent = `voxmatrix ${version}`));
