// SPDX-License-Identifier: Apache-2.0

// Users for operators, as JSON and as lines.

#if Server
package import RealmFormats
import RealmServerEngine
import RealmServerServices

extension AccountSummary {
  /// The user for programs.
  package var json: JSONValue {
    [
      "id": .string(id), "created": .string(OperationTime.text(created)),
      "disabled": .bool(isDisabled), "sessions": JSONValue(sessionCount),
      "identities": .array(
        identities.map { ["provider": .string($0.provider), "name": .string($0.name)] }),
    ]
  }

  /// The user as a line.
  package var line: String {
    let names = identities.map { "\($0.provider) \(PlainText.name($0.name))" }.joined(
      separator: ", ")
    return "\(id)  \(OperationTime.text(created))  \(CountText.text(sessionCount, "login"))"
      + (isDisabled ? "  disabled" : "") + "  \(names)"
  }
}

extension AccountPage {
  /// The page for programs.
  package var json: JSONValue {
    [
      "users": .array(users.map(\.json)), "next": next.map { .integer($0) } ?? .null,
    ]
  }
}
#endif
