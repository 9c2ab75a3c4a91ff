#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of realm-server in Python, with nothing but its library.

    python3 client.py ADDRESS APP KEY NAME

It logs in with an API key, adds a Todo of that name, and prints the names of all that are not done.
"""
import json
import sys
import urllib.error
import urllib.request

address, app, key, name = sys.argv[1:5]
BASE = f"{address}/api/client/v2.0"


def call(method, url, body=None, token=None):
    """The answer of a request; an error of the server ends the program with its words."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        failure = json.load(error)
        sys.exit(f"{failure.get('error_code')}: {failure.get('error')}")


def documents(token, operation, **members):
    """A call of the collection Todo."""
    return call("POST", f"{BASE}/app/{app}/functions/call", {
        "service": "mongodb-atlas", "name": operation,
        "arguments": [{"database": "app", "collection": "Todo", **members}],
    }, token)


login = call("POST", f"{BASE}/app/{app}/auth/providers/api-key/login", {"key": key})
token = login["access_token"]  # Half an hour; `POST BASE/auth/session` with the refresh token gives another.
documents(token, "insertOne", document={"name": name, "isDone": False, "owner": login["user_id"]})
for todo in documents(token, "find", query={"isDone": False}, sort={"name": 1}):
    print(todo["name"])
