// How much was recorded, what a voice of that can be, and the way to it.

import { el, filled, onDo, trouble } from "../dom.js";
import { known, t } from "../i18n.js";
import { showInTrain } from "../jobs/api.js";
import { amountOf, clock, sentence } from "../words.js";
import { checkList } from "./api.js";

export function amount(list) {
  const { seconds, expect, better, recorded, usable, trainable } = list;
  const lost = recorded - usable;
  const now = t(lost ? "record.now_lost" : "record.now", { time: clock(seconds, 0), lost });
  const side = (when, what) => el("div", {}, el("dt", {}, when), el("dd", {}, sentence(what)));
  return el("section", { class: "amount" },
    el("h2", {}, t("record.gives")),
    filled(better ? Math.min(1, seconds / better.seconds) : 1),
    el("dl", {}, side(now, known("expect", list.level, expect)), better && side(t("record.with_more", { amount: amountOf(better.seconds) }), known("expect", better.level, better.expect))),
    trainable && train(list));
}

function train(list) {
  const problem = trouble();
  const start = onDo(problem, () => checkList(list).then(showInTrain));
  return el("div", { class: "form-actions" }, el("button", { class: "primary", onclick: start }, t("record.train")), problem);
}
