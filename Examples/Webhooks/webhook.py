#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A webhook of realm-server: the functions of an app, in Python and nothing but its library.

    python3 webhook.py PORT SECRETFILE

Each path is a function; the server calls it with POST, and signs what it sends.
"""
import hashlib
import hmac
import http.server
import json
import sys
import time

SECRET = open(sys.argv[2], "rb").read().rstrip(b"\r\n")


def plain(value):
    """A number of extended JSON as one of Python; other values as they are."""
    if isinstance(value, dict) and len(value) == 1:
        (kind, text), = value.items()
        if kind in ("$numberInt", "$numberLong"):
            return int(text)
        if kind == "$numberDouble":
            return float(text)
    return value


def total(call):
    """The function "sum": what a client calls as user.functions.sum(1, 2)."""
    return sum(plain(argument) for argument in call["arguments"])


def welcome(call):
    """The function of a trigger: its argument is the event."""
    event = call["arguments"][0]
    print("new:", event["fullDocument"]["name"], flush=True)
    return None


FUNCTIONS = {"/sum": total, "/welcome": welcome}


def is_signed(header, body):
    """Whether the server signed the body, in the last five minutes."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    moment, signature = parts.get("t", ""), parts.get("v1", "")
    if not moment.isdigit() or abs(time.time() - int(moment)) > 300:
        return False
    expected = hmac.new(SECRET, moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_signed(self.headers.get("Realm-Signature", ""), body):
            return self.answer(401, {"error": "not signed by the server"})
        function = FUNCTIONS.get(self.path)
        if function is None:
            return self.answer(404, {"error": "no such function"})
        try:
            self.answer(200, function(json.loads(body)))
        except (TypeError, ValueError, KeyError, IndexError) as error:
            self.answer(400, {"error": f"bad arguments: {error}"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Hook)
print(f"listening on {server.server_address[1]}", flush=True)
server.serve_forever()
