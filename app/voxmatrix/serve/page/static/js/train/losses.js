// The losses of a training so far, by step.

import { significant, t } from "../i18n.js";
import { percent } from "../words.js";

/** What is drawn: the large curve first. `of` finds the value in the data of an event; `name` and `show` are for people. */
export const SERIES = [
  { id: "mel", name: t("train.loss_training"), of: ({ losses }) => losses?.mel },
  { id: "validation", name: t("train.loss_validation"), of: ({ validation_mel: value }) => value },
  { id: "adversarial", name: t("train.loss_generator"), of: ({ losses }) => losses?.adversarial },
  { id: "discriminator", name: t("train.loss_discriminator"), of: ({ losses }) => losses?.discriminator },
  { id: "kl", name: t("train.loss_kl"), of: ({ losses }) => losses?.kl },
  { id: "words", name: t("train.words_wrong"), of: ({ words_wrong: value }) => value },
  { id: "duration", name: t("train.loss_duration"), of: ({ losses }) => losses?.duration },
].map((each) => ({ ...each, show: each.id === "words" ? (/** @type {number} */ value) => percent(value, 1) : significant }));

export class Losses {
  #points = new Map(SERIES.map(({ id }) => [id, []]));
  /** Of the best validation so far. */
  bestStep = 0;

  add(entry) {
    this.bestStep = entry.best_step ?? this.bestStep;
    for (const { id, of } of SERIES) {
      const value = of(entry);
      if (!Number.isFinite(value)) continue;
      const points = this.#points.get(id);
      // A training that goes on does so from its last checkpoint: what came after it is made again.
      while (points.length && points.at(-1).step >= entry.step) points.pop();
      points.push({ step: entry.step, value });
    }
  }

  /** `[{step, value}]`, in order. */
  of(id) {
    return this.#points.get(id);
  }

  get lastStep() {
    return Math.max(0, ...[...this.#points.values()].map((points) => points.at(-1)?.step ?? 0));
  }

  /** At most `most` of the points: each is the mean of some. */
  thinned(id, most) {
    const points = this.of(id);
    if (points.length <= most) return points;
    const each = points.length / most;
    return Array.from({ length: most }, (_, at) => {
      const some = points.slice(Math.floor(at * each), Math.floor((at + 1) * each));
      return { step: some.at(-1).step, value: some.reduce((sum, { value }) => sum + value, 0) / some.length };
    });
  }
}
