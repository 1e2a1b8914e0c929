// The results of earlier visits, which this browser keeps: texts, sounds and the times of their words.

const NAME = "voxmatrix";
const RESULTS = "results";
const PIECES = "pieces"; // [result, take, number]
/** Sound that is at least written at once; less is lost when the page is closed. */
const PIECE_SECONDS = 5;
const SAVED = ["voice", "label", "text", "speed", "knobs", "sentence_pause", "volume", "lexicon", "cast", "timed", "rateHz", "limit", "state", "status", "mark"];

let opening = null;

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

function open() {
  opening ??= (async () => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => [RESULTS, PIECES].forEach((name) => request.result.createObjectStore(name));
    return done(request);
  })();
  return opening;
}

const store = async (name, mode) => (await open()).transaction(name, mode).objectStore(name);
const write = async (name, act) => done(act(await store(name, "readwrite")));
const piecesOf = (...prefix) => IDBKeyRange.bound(prefix, [...prefix, []]);

/** All results, oldest first: `{id, text, takes}`, the takes as they were, but without their sounds. */
export const savedResults = async () => done((await store(RESULTS, "readonly")).getAll());

/** Forget a result. */
export async function forget(id) {
  await write(RESULTS, (results) => results.delete(id));
  await write(PIECES, (pieces) => pieces.delete(piecesOf(id)));
}

/** The pieces of a take: `{samples, words}`. */
export const savedPieces = async (id, at) => done((await store(PIECES, "readonly")).getAll(piecesOf(id, at)));

/** Keeps a result as it grows. What fails, as on a full disk, is not kept. */
export class Keeping {
  #queue = Promise.resolve();
  #written; // by take: how many samples, words and pieces

  /** `signal` ends it. */
  constructor(id, text, takes, signal) {
    this.signal = signal;
    this.id = id;
    this.text = text;
    this.takes = takes;
    this.#written = takes.map(() => ({ samples: 0, words: 0, pieces: 0 }));
    for (const [at, take] of takes.entries()) {
      take.addEventListener("mark", () => this.#note(at, false));
      take.addEventListener("change", () => this.#note(at, true));
    }
  }

  /** It comes from an earlier visit: its pieces are there. */
  resume(at, samples, words, pieces) {
    this.#written[at] = { samples, words, pieces };
  }

  #note(at, always) {
    const take = this.takes[at];
    const fresh = take.sound ? take.sound.length - this.#written[at].samples : 0;
    if (fresh < 0) this.#written[at] = { samples: 0, words: 0, pieces: 0 }; // it goes on from an earlier place
    if (always || fresh > PIECE_SECONDS * take.sound.rateHz) this.#queue = this.#queue.then(() => this.#save(at)).catch((problem) => console.warn(problem));
  }

  async #save(at) {
    if (this.signal.aborted) return;
    const take = this.takes[at];
    const written = this.#written[at];
    const samples = take.sound?.samples.slice(written.samples) ?? [];
    const words = take.words.slice(written.words);
    if (!written.pieces) await write(PIECES, (pieces) => pieces.delete(piecesOf(this.id, at)));
    if (samples.length) await write(PIECES, (pieces) => pieces.put({ samples, words }, [this.id, at, written.pieces]));
    Object.assign(written, samples.length && { samples: written.samples + samples.length, words: written.words + words.length, pieces: written.pieces + 1 });
    const takes = this.takes.map((each) => ({ ...Object.fromEntries(SAVED.map((name) => [name, each[name]])), seconds: each.sound?.seconds ?? each.seconds ?? 0 }));
    await write(RESULTS, (results) => results.put({ id: this.id, text: this.text, takes }, this.id));
  }
}
