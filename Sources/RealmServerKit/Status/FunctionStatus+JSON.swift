// SPDX-License-Identifier: Apache-2.0

// A function for the server's page.

#if Server
import RealmFormats
import RealmServerServices

extension FunctionStatus {
  /// The function for programs.
  var json: JSONValue {
    [
      "name": .string(name), "kind": .string(isWebhook ? "webhook" : "closure"),
      "isPrivate": .bool(isPrivate), "calls": JSONValue(calls.count),
      "failed": JSONValue(calls.failedCount),
      "lastCall": JSONValue(calls.last.map { OperationTime.text($0) }),
      "error": JSONValue(calls.error),
      "errorTime": JSONValue(calls.errorTime.map { OperationTime.text($0) }),
    ]
  }
}
#endif
