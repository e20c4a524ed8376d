# Converts arguments from Python to JSON and tool results from JSON to Python.
import dataclasses, datetime, decimal, enum, keyword, pathlib, re, uuid


def plain(value):
    """Converts a value without a JSON type to the closest one that has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (pathlib.PurePath, uuid.UUID)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8")
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent to a tool: it cannot be converted to JSON")


# A larger integer loses precision in programs that parse JSON numbers as doubles (the host, most servers).
MAX_INTEGER = 2**53 - 1


def lost_integer(value, written):
    """The first integer that would lose precision, and its path; `written` is the value as JSON."""
    if re.search(r"\d{16}", written) is None:
        return None
    left = [("", value)]
    while left:
        place, item = left.pop()
        if isinstance(item, dict):
            left += reversed([(f"{place}.{key}" if place else key, inner) for key, inner in item.items()])
        elif isinstance(item, list):
            left += reversed([(f"{place}[{at}]", inner) for at, inner in enumerate(item)])
        elif isinstance(item, int) and abs(item) > MAX_INTEGER:
            return shortened(str(item), 80), shortened(place, 200)
    return None


def shortened(text, limit):
    return text if len(text) <= limit else text[:limit] + "…"


def parse_json(text):
    """The value of a JSON text, or the text itself if it is not valid JSON."""

    def no_json(word):
        raise ValueError(word)

    try:
        return json.loads(text, parse_constant=no_json)
    except (ValueError, RecursionError):
        return text


def text_of(content):
    return "\n".join(block["text"] for block in content if isinstance(block.get("text"), str))


def value_of(result):
    """Converts a tool result to a Python value."""
    if not isinstance(result, dict):
        return result
    content = result.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if result.get("isError") is True:
        raise ToolError("TOOL_EXECUTION_ERROR", text_of(blocks) or "the tool failed without a message")
    if result.get("structuredContent") is not None:
        return result["structuredContent"]
    if content is None:
        return result
    if not all(block.get("type") == "text" and isinstance(block.get("text"), str) for block in blocks):
        return blocks[0] if len(blocks) == 1 else blocks
    if not blocks:
        return None
    if len(blocks) == 1:
        return parse_json(blocks[0]["text"])
    # Some servers write one block for each item of a list.
    values = [parse_json(block["text"]) for block in blocks]
    return values if all(not isinstance(value, str) for value in values) else text_of(blocks)


def cleaned(name):
    name = re.sub(r"[^a-z0-9_]+", "_", name.lower()) or "_"
    name = "_" + name if name[0].isdigit() else name
    return name + "_" if keyword.iskeyword(name) else name


def arguments_of(tool, given, named):
    """Maps positional arguments and Python spellings to the parameter names of the tool's schema."""
    schema = tool.get("input_schema") or {}
    properties = list(schema.get("properties") or {}) if isinstance(schema, dict) else []
    if len(given) == 1 and isinstance(given[0], dict) and not named:
        return dict(given[0])
    if len(given) > len(properties):
        raise TypeError(f"{tool['alias']}() takes {len(properties)} arguments but {len(given)} were given")
    arguments = dict(zip(properties, given))
    spellings = {}
    for name in properties:
        spellings.setdefault(cleaned(name), name)
    for name, value in named.items():
        own = name if name in properties else spellings.get(name.lower(), name)
        if own in arguments:
            raise TypeError(f"{tool['alias']}() got two values for {own!r}")
        arguments[own] = value
    return arguments
