// The pitch of speech, by autocorrelation: where a sound is most like itself some time later, that time is its period.

const FRAME_SECONDS = 0.04; // two periods of the lowest voice
const STEP_SECONDS = 0.01;
const LOWEST_HZ = 60;
const HIGHEST_HZ = 500;
const ENOUGH_HZ = 8000; // samples a second, to tell pitches apart
const VOICED = 0.55; // how alike periods of a voice are, at least
const NEARLY = 0.9; // of the best: the shortest of these is the period, the others are its multiples
const QUIET = 0.02; // of the loudest frame's energy
const AROUND = 10; // frames before and after one
const FAR = 1.6; // times the median of those: no voice jumps so, but an octave is easily mistaken

/** The pitch between two times of a sound, for each hundredth of a second: [{time, hz}]; 0 where there is no voice. */
export function pitchOf({ samples, rateHz }, from, to) {
  const every = Math.max(1, Math.floor(rateHz / ENOUGH_HZ));
  const heard = thinned(samples.subarray(Math.floor(from * rateHz), Math.ceil(to * rateHz)), every);
  const rate = rateHz / every;
  const [size, step, longest] = [FRAME_SECONDS, STEP_SECONDS, 1 / LOWEST_HZ].map((seconds) => Math.round(seconds * rate));
  const frames = [];
  for (let at = 0; at + size + longest < heard.length; at += step) frames.push({ at, energy: correlation(heard, at, 0, size) });
  const loudest = Math.max(...frames.map(({ energy }) => energy));
  return likely(frames.map(({ at, energy }) => ({
    time: from + (at + (size + longest) / 2) / rate,
    hz: energy > QUIET * loudest ? rate / period(heard, at, size, Math.floor(rate / HIGHEST_HZ), longest) : 0,
  })));
}

/** Without single frames that are far from those around them. */
function likely(frames) {
  return frames.map(({ time, hz }, at) => {
    const around = frames.slice(Math.max(0, at - AROUND), at + AROUND + 1).map((each) => each.hz).filter(Boolean).sort((one, other) => one - other);
    const middle = around[Math.floor(around.length / 2)];
    return { time, hz: hz > FAR * middle || FAR * hz < middle ? 0 : hz };
  });
}

/** The mean of each `every` samples. */
function thinned(samples, every) {
  const means = new Float32Array(Math.floor(samples.length / every));
  for (let at = 0; at < means.length; at++) {
    for (let i = 0; i < every; i++) means[at] += samples[at * every + i] / every;
  }
  return means;
}

function correlation(samples, at, lag, size) {
  let sum = 0;
  for (let i = at; i < at + size; i++) sum += samples[i] * samples[i + lag];
  return sum;
}

/** In samples, with parts of them; Infinity where there is no voice. */
function period(samples, at, size, shortest, longest) {
  const energy = correlation(samples, at, 0, size);
  const alike = (lag) => correlation(samples, at, lag, size) / Math.sqrt(energy * correlation(samples, at + lag, 0, size) || 1);
  const found = Array.from({ length: longest - shortest + 3 }, (_, index) => alike(shortest - 1 + index));
  const peaks = found.map((_, index) => index).filter((index) => index > 0 && index < found.length - 1 && found[index] >= found[index - 1] && found[index] > found[index + 1]);
  const best = Math.max(...peaks.map((index) => found[index]));
  const index = peaks.find((each) => found[each] >= NEARLY * best);
  if (index === undefined || best < VOICED) return Infinity;
  const [before, top, after] = [found[index - 1], found[index], found[index + 1]];
  return shortest - 1 + index + (before - after) / 2 / (before - 2 * top + after);
}
