"""The API as a page at /docs, written from its OpenAPI description. It loads nothing and runs nothing."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from voxmatrix.dataset.report import document

PATH = "/docs"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_BODY = "requestBody"

#: Larger limits are those of a type of numbers.
_ANY = 10**9

#: A part of an OpenAPI description.
Schema = Mapping[str, Any]


def docs_routes(router: APIRouter) -> None:
    """Add the page to the routes. It says what is public, so it needs no key."""

    @router.get(PATH)
    async def docs(request: Request) -> HTMLResponse:
        return HTMLResponse(api_page(request.app.openapi()), headers={"Content-Security-Policy": _POLICY})


def api_page(description: Schema) -> str:
    """All routes of an OpenAPI description, and the fields of their queries and bodies, as HTML."""
    info = description["info"]
    title = f"The API of {info['title']} {info['version']}"
    parts = [f"<h1>{escape(title)}</h1>", '<p>The same for programs: <a href="openapi.json">openapi.json</a></p>']
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts += _operation(f"{method.upper()} {path}", operation, description)
    return document(escape(title), "\n".join(parts))


def _operation(name: str, operation: Schema, description: Schema) -> Iterator[str]:
    yield f"<h2><code>{escape(name)}</code></h2>"
    text = operation.get("description") or operation.get("summary", "")
    yield f"<p>{escape(text)}</p>"
    rows = [
        _row(one["name"], one.get("schema", {}), one.get("description", ""), required=one.get("required", False))
        for one in operation.get("parameters", ())
    ]
    for content in operation.get(_BODY, {}).get("content", {}).values():
        for schema in _alternatives(_resolved(content.get("schema", {}), description), description):
            required = schema.get("required", ())
            rows += [
                _row(field, inner, inner.get("description", ""), required=field in required)
                for field, inner in schema.get("properties", {}).items()
            ]
    if rows:
        head = "".join(f"<th>{column}</th>" for column in ("field", "type", "default", ""))
        body = "".join(dict.fromkeys(rows))  # kinds of jobs share fields
        yield f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _row(name: str, schema: Schema, text: str, *, required: bool) -> str:
    default = "required" if required else "" if schema.get("default") is None else json.dumps(schema["default"])
    cells = (f"<code>{escape(name)}</code>", escape(_type(schema)), escape(default), escape(text))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _type(schema: Schema) -> str:
    if values := schema.get("enum") or ("const" in schema and [schema["const"]]):
        return " or ".join(map(str, values))
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(one) for one in choices if one.get("type") != "null"))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    limits = [
        f"{sign} {schema[key]:g}"
        for key, sign in (("minimum", "≥"), ("maximum", "≤"))
        if abs(schema.get(key, _ANY)) < _ANY
    ]
    return " ".join([str(schema.get("type", "any")), *limits])


def _alternatives(schema: Schema, description: Schema) -> list[Schema]:
    """The objects that a body may be."""
    choices = schema.get("oneOf") or schema.get("anyOf") or [schema]
    return [_resolved(one, description) for one in choices]


def _resolved(schema: Schema, description: Schema) -> Schema:
    found: Any = schema
    if "$ref" in schema:
        found = description
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found[part]
    return found  # type: ignore[no-any-return]
