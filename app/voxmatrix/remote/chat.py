"""A question to a server with OpenAI's API for chats, which is answered with an object of JSON."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from voxmatrix.encoding import parse_json
from voxmatrix.errors import BadInputError
from voxmatrix.remote.client import NEVER, RefusedError, asked
from voxmatrix.remote.servers import Server


def answered(
    server: Server,
    model: str,
    instruction: str,
    question: str,
    schema: Mapping[str, Any],
) -> dict[str, Any]:
    """The object that a model answers with; {} if its text is none.

    Servers that do not know schemas are asked without one, so whoever uses the answer checks it all the same.

    Args:
        server: where it is asked.
        model: the name of the model there.
        instruction: what it shall do.
        question: what it shall do that with.
        schema: JSON Schema of the answer.

    Raises:
        BadInputError: the server refuses the request, or does not answer as a chat does.
        UnreachableError: it cannot be reached, is busy for long, or wants a key.
    """
    messages = [{"role": "system", "content": instruction}, {"role": "user", "content": question}]
    body = {"model": model, "messages": messages, "temperature": 0, "seed": 0}
    form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
    try:
        return asked(server, "/chat/completions", {**body, "response_format": form}, _object, NEVER)
    except RefusedError:
        return asked(server, "/chat/completions", body, _object, NEVER)


def _object(content: bytes) -> dict[str, Any]:
    """The object in the text of the first choice, which may stand between other words, behind what was thought."""
    try:
        text = parse_json(content)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise BadInputError("the server does not answer as a chat does", "check its URL: it ends in /v1") from error
    with suppress(ValueError, TypeError, AttributeError, RecursionError):
        text = text.rpartition("</think>")[2]
        found = parse_json(text[text.index("{") : text.rindex("}") + 1])
        return found if isinstance(found, dict) else {}
    return {}
