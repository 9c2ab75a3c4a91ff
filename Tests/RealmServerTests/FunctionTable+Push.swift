// SPDX-License-Identifier: Apache-2.0

// A function of a server's program that sends push messages.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices

extension FunctionTable {
  /// A function `notify` that sends a message to the users in its arguments, and returns the number
  /// of their devices.
  static func notifying(with payload: BSONValue) -> FunctionTable {
    var table = FunctionTable()
    table["notify"] = { call in
      let users = call.arguments.compactMap { (value) -> String? in
        if case .string(let text) = value { text } else { nil }
      }
      let report = try await call.push(PushMessage("apns", to: users, payload))
      return .int64(Int64(report.deviceCount))
    }
    return table
  }
}
#endif
