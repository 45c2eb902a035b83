# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The rules of openapi.yaml that only its descriptions contain: no JSON Schema can express them."""
import schemathesis

# The maximum size in bytes of texts for which a schema has the same maximum number of characters.
TEXTS = {"title": 255, "subtitle": 255, "file": 4096, "sha256": 4096}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    schemas = raw_schema["components"]["schemas"]
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter.get("schema"):
                    parameter["schema"] = inlined(parameter["schema"], schemas)
    # A stream has no end: the calls never request one.
    for name in ["/v1/journal", "/v1/notifications", "/v1/logs"]:
        operation = raw_schema["paths"][name]["get"]
        operation["parameters"] = [each for each in operation["parameters"] if each.get("name") != "follow"]
        del operation["responses"]["200"]["content"]["application/x-ndjson"]


def inlined(schema, schemas):
    """The schema without references: Schemathesis fails at those in parameters that have a dictionary."""
    if isinstance(schema, list):
        return [inlined(each, schemas) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inlined(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    return {key: inlined(value, schemas) for key, value in schema.items()}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta and case.meta.generation.mode.is_positive:
        correct_query(case.operation.path, case.query or {})
        if case.operation.path == "/v1/forecast" and isinstance(case.body, dict):
            # The end of a forecast is near the time of the call.
            case.body.pop("until", None)
        if isinstance(case.body, dict):
            for body in case.body.get("requests", [case.body]):
                correct_body(body)


def correct_query(path, query):
    # A cursor is a text of the host: Schemathesis follows `next` in tests of several calls.
    for cursor in ["after", "before"]:
        if cursor in query and path not in ("/v1/journal", "/v1/notifications"):
            del query[cursor]
    if query.get("previous") and not {"plugin", "launch", "identifier"} & query.keys():
        del query["previous"]
    # A claim has both numbers.
    if ("claim_item" in query) != ("claim_fence" in query):
        query.pop("claim_item", None)
        query.pop("claim_fence", None)


def correct_alert(body):
    """Fields of a background push and of an alert exclude each other."""
    if "alert" in body:
        for name in ["expires_at", "priority", "only_now"]:
            body.pop(name, None)
        body["alert"] = body["alert"][:100] or "a"
        body.update({name: body[name][:100] for name in ["subtitle", "body"] if name in body})
        if "topic" in body:
            body["topic"] = "t"
    else:
        for name in ["subtitle", "body", "topic", "mutable"]:
            body.pop(name, None)


def correct_body(body):
    correct_alert(body)
    # A pause ends in the future.
    if "until" in body:
        body["until"] = "2100" + body["until"][4:].replace("-02-29", "-02-28")
    for name, limit in TEXTS.items():
        if name in body:
            body[name] = body[name].encode()[:limit].decode(errors="ignore")
