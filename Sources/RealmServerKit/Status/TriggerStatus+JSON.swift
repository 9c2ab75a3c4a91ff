// SPDX-License-Identifier: Apache-2.0

// Triggers for operators, as JSON.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices

extension TriggerStatus {
  /// The trigger for programs.
  var json: JSONValue {
    [
      "name": .string(name), "kind": .string(kind), "state": .string(state.rawValue),
      "error": JSONValue(error), "errorTime": JSONValue(errorTime.map { OperationTime.text($0) }),
      "delivered": JSONValue(delivered), "failed": JSONValue(failed),
      "skipped": JSONValue(skipped), "attempt": JSONValue(attempt),
      "lastDelivery": JSONValue(lastDelivery.map { OperationTime.text($0) }),
      "pendingRealms": JSONValue(pendingRealms), "behind": .integer(Int64(clamping: behind)),
      "nextRun": JSONValue(nextRun.map { OperationTime.text($0) }),
    ]
  }
}
#endif
