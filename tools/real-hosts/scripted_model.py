"""A model with a script: answers the HTTP interfaces of providers and keeps every request.

The Messages API (Claude Code), the Responses API (Codex), generateContent (Gemini CLI) and chat completions (OpenCode)
are told apart by path. The model says one sentence; if it is told to use a tool, it calls that tool first, once in each conversation.
"""

import http.server
import itertools
import json
import threading

LARGEST_REQUEST = 64 << 20


class ScriptedModel:
    """A local server for one test. Use it as a context manager; `url` has no path."""

    def __init__(self, says):
        self.says = says
        self.tool = None
        self.requests = []
        self._answers = itertools.count(1)
        self._lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def use_tool(self, ending, arguments):
        """From now on, call the offered tool whose name ends like this."""
        self.tool = (ending, arguments)

    def take_requests(self):
        """The requests since the last call: path and body."""
        with self._lock:
            taken, self.requests = self.requests, []
        return taken

    def keep(self, path, body):
        with self._lock:
            self.requests.append({"path": path, "body": body})

    def next_id(self):
        """A part of ids that no other answer has: hosts and readers of their transcripts tell answers apart by id."""
        return f"scripted_{next(self._answers)}"

    def chosen(self, offered, conversation):
        """The tool to call now: one of the `offered` names, unless the conversation has a result already."""
        if self.tool is None or any(mark in conversation for mark in RESULT_MARKS):
            return None
        ending, arguments = self.tool
        name = next((name for name in offered if name.endswith(ending)), None)
        return None if name is None else (name, arguments)


RESULT_MARKS = ('"tool_result"', '"function_call_output"', '"functionResponse"', '"role": "tool"')


def _handler(model):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self.reply_json({"data": [], "models": []})

        def do_HEAD(self):
            self.reply_json({})

        def do_POST(self):
            length = min(int(self.headers.get("content-length") or 0), LARGEST_REQUEST)
            try:
                body = json.loads(self.rfile.read(length))
            except ValueError:
                body = {}
            model.keep(self.path, body)
            path = self.path.split("?")[0]
            if path.endswith("count_tokens") or path.endswith("countTokens"):
                self.reply_json({"input_tokens": 10, "totalTokens": 10})
            elif path.endswith("/messages"):
                self.answer_messages(body)
            elif path.endswith("/responses"):
                self.answer_responses(body)
            elif path.endswith("/chat/completions"):
                self.answer_completions(body)
            elif path.endswith("enerateContent"):
                self.answer_generate(body, streamed=path.endswith("streamGenerateContent"))
            else:
                self.reply_json({})

        def answer_messages(self, body):
            answer = model.next_id()
            offered = [tool.get("name", "") for tool in body.get("tools", [])]
            call = model.chosen(offered, json.dumps(body.get("messages", [])))
            block = (
                {"type": "tool_use", "id": f"toolu_{answer}", "name": call[0], "input": call[1]}
                if call
                else {"type": "text", "text": model.says}
            )
            message = {
                "id": f"msg_{answer}", "type": "message", "role": "assistant", "model": body.get("model", ""),
                "content": [], "stop_reason": None, "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
            reason = "tool_use" if call else "end_turn"
            if body.get("stream"):
                self.reply_events(_message_events(message, block, reason))
            else:
                self.reply_json({**message, "content": [block], "stop_reason": reason})

        def answer_responses(self, body):
            answer = model.next_id()
            call = model.chosen(_offered_functions(body.get("tools", [])), json.dumps(body.get("input", [])))
            item = (
                {
                    "type": "function_call", "id": f"fc_{answer}", "call_id": f"call_{answer}",
                    **_split_namespace(call[0]), "arguments": json.dumps(call[1]), "status": "completed",
                }
                if call
                else {
                    "type": "message", "id": f"msg_{answer}", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": model.says, "annotations": []}],
                }
            )
            response = {"id": f"resp_{answer}", "object": "response", "status": "in_progress", "output": []}
            usage = {
                "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
                "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
            }
            done = {**response, "status": "completed", "output": [item], "usage": usage}
            events = [
                {"type": "response.created", "response": response},
                {"type": "response.output_item.added", "output_index": 0, "item": item},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": done},
            ]
            self.reply_events([(event["type"], event) for event in events])

        def answer_completions(self, body):
            answer = model.next_id()
            offered = [tool.get("function", {}).get("name", "") for tool in body.get("tools", [])]
            call = model.chosen(offered, json.dumps(body.get("messages", [])))
            function = {"name": call[0], "arguments": json.dumps(call[1])} if call else None
            said = (
                {"tool_calls": [{"index": 0, "id": f"call_{answer}", "type": "function", "function": function}]}
                if call
                else {"content": model.says}
            )
            head = {"id": f"chatcmpl-{answer}", "created": 0, "model": body.get("model", "")}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            reason = "tool_calls" if call else "stop"
            message = {"role": "assistant", "content": None, **said}
            if not body.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": reason}
                self.reply_json({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
                return
            chunk = {**head, "object": "chat.completion.chunk"}
            choices = [
                {"index": 0, "delta": message, "finish_reason": None},
                {"index": 0, "delta": {}, "finish_reason": reason},
            ]
            events = [(None, {**chunk, "choices": [choice]}) for choice in choices]
            self.reply_events([*events, (None, {**chunk, "choices": [], "usage": usage})])

        def answer_generate(self, body, streamed):
            offered = [
                function.get("name", "")
                for tool in body.get("tools", [])
                for function in tool.get("functionDeclarations", [])
            ]
            call = model.chosen(offered, json.dumps(body.get("contents", [])))
            part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": model.says}
            answer = {
                "candidates": [
                    {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
                ],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
            }
            if streamed:
                self.reply_events([(None, answer)])
            else:
                self.reply_json(answer)

        def reply_json(self, value):
            self.send("application/json", json.dumps(value).encode())

        def reply_events(self, events):
            lines = [
                ("" if name is None else f"event: {name}\n") + f"data: {json.dumps(data)}\n\n"
                for name, data in events
            ]
            self.send("text/event-stream", "".join(lines).encode())

        def send(self, kind, content):
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

    return Handler


def _message_events(message, block, reason):
    if block["type"] == "tool_use":
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    stop = {"stop_reason": reason, "stop_sequence": None}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


SEPARATOR = "\0"


def _offered_functions(tools):
    """Names of functions; one inside a namespace is written with a separator that no name has."""
    names = []
    for tool in tools:
        if tool.get("type") == "namespace":
            inner = tool.get("tools", [])
            names += [tool.get("name", "") + SEPARATOR + function.get("name", "") for function in inner]
        else:
            names.append(tool.get("name", ""))
    return names


def _split_namespace(name):
    namespace, separator, function = name.rpartition(SEPARATOR)
    return {"namespace": namespace, "name": function} if separator else {"name": name}
