// What happens when the page is opened.

import { read } from "./api.js";
import { startBook } from "./book/book.js";
import { byId } from "./dom.js";
import { startJobs } from "./jobs/jobs.js";
import { startMachine } from "./machine/machine.js";
import { startRecord } from "./record/record.js";
import { startSpeak } from "./speak/speak.js";
import { startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { startTrain } from "./train/train.js";
import { startVoices } from "./voices/voices.js";

startTheme();
const settings = read("page/settings.json");
startTabs({
  speak: startSpeak(settings),
  voices: startVoices(settings),
  record: startRecord(),
  train: startTrain(),
  book: startBook(),
  jobs: startJobs(),
  machine: startMachine(),
});
byId("version").textContent = `voxmatrix ${(await settings).version}`;
