// Server-sent events of an answer. An EventSource could send neither a key nor a body.

/** `{id, name, data}` of each, as they come. */
export async function* eventsOf(response) {
  if (!response.body) return; // 204: nothing more will come
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const fields = Object.fromEntries(frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      if (fields.data) yield { id: Number(fields.id), name: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
