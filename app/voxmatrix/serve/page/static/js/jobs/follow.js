// The events of a job, as they happen.

import { ask } from "../api.js";
import { eventsOf } from "../events.js";
import { ENDED, getJob } from "./api.js";

const PAUSE_MS = 1500;

/**
 * Follow a job from its first event to its end, also when the server is restarted meanwhile. `onJob` gets the job when
 * its state has changed, `onProgress` and `onMetrics` get the data of their events, `onEnd` the job when it has ended,
 * or null if it was deleted. A resumed job is followed again by another call. Returns what ends it.
 * @param {string} id
 * @param {{onJob?: (job: any) => any, onProgress?: (facts: any) => any, onMetrics?: (entry: any) => any, onEnd?: (job: any) => any}} listeners
 */
export function followJob(id, { onJob, onProgress, onMetrics, onEnd }) {
  const end = new AbortController();
  const listeners = { state: onJob, progress: onProgress, metrics: onMetrics };
  follow(id, listeners, end.signal).then((job) => job !== undefined && onEnd?.(job));
  return () => end.abort();
}

/** The ended job; null if there is none, and undefined if nobody wants to know any more. */
async function follow(id, listeners, signal) {
  let last = 0; // the last event that was read
  while (!signal.aborted) {
    try {
      const response = await ask(`v1/jobs/${id}/events?after=${last}`, { signal });
      for await (const event of eventsOf(response)) {
        if (signal.aborted) return undefined;
        last = event.id;
        listeners[event.name]?.(event.data);
      }
      const job = await getJob(id);
      if (signal.aborted) return undefined;
      if (ENDED.includes(job.state)) return job;
    } catch (problem) {
      if (problem.status === 404) return signal.aborted ? undefined : null;
      // The server is being restarted, or the connection broke: what was missed is asked for.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}
