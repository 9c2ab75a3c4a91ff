// SPDX-License-Identifier: Apache-2.0

// The JSON document of an error message.

package import RealmFormats
import RealmText

/// What a server says about an error. Six keys are always written and must be there.
package struct ErrorDocument: Hashable, Sendable {
  package var message: String
  package var logURL: String
  package var tryAgain: Bool
  package var shouldClientReset: Bool
  package var isRecoveryModeDisabled: Bool
  package var action: ErrorAction
  package var retry: RetryHint?
  /// The query that represents the partition of a migrated file; goes with error 232.
  package var partitionQuery: String?
  /// Goes with error 236.
  package var previousSchemaVersion: UInt64?
  package var compensatingWrite: CompensatingWriteReport?
  /// Goes with error 230, for objects of asymmetric classes.
  package var refusedWrites: RefusedWriteReport?

  /// A document whose flags for old clients follow from the action.
  package init(message: String, action: ErrorAction, logURL: String = "") {
    self.message = message
    self.logURL = logURL
    self.action = action
    tryAgain = action == .transient || action == .warning
    shouldClientReset = action == .clientReset || action == .clientResetNoRecovery
    isRecoveryModeDisabled = action == .clientResetNoRecovery
  }

  /// The document of a session error with its usual action.
  package init(_ code: SessionErrorCode, message: String) {
    self.init(message: message, action: code.usualAction)
  }

  package var json: JSONValue {
    var members = [
      JSONMember("message", .string(message)), JSONMember("logURL", .string(logURL)),
      JSONMember("tryAgain", .bool(tryAgain)),
      JSONMember("shouldClientReset", .bool(shouldClientReset)),
      JSONMember("isRecoveryModeDisabled", .bool(isRecoveryModeDisabled)),
      JSONMember("action", .string(action.rawValue)),
    ]
    func add(_ key: String, _ number: UInt64?) {
      guard let number else { return }
      members.append(JSONMember(key, .integer(Int64(clamping: number))))
    }
    add("backoffIntervalSec", retry?.intervalSeconds)
    add("backoffMaxDelaySec", retry?.delaySecondsMax)
    add("backoffMultiplier", retry?.multiplier)
    if let partitionQuery { members.append(JSONMember("partitionQuery", .string(partitionQuery))) }
    add("previousSchemaVersion", previousSchemaVersion)
    if let report = compensatingWrite {
      add("compensatingWriteServerVersion", report.serverVersion)
      add("rejectedClientVersion", report.rejectedClientVersion)
      members.append(JSONMember("rejectedUpdates", Self.json(report.updates)))
    } else if let report = refusedWrites {
      add("rejectedClientVersion", report.rejectedClientVersion)
      members.append(JSONMember("rejectedUpdates", Self.json(report.updates)))
    }
    return .object(members)
  }

  private static func json(_ updates: [RejectedUpdate]) -> JSONValue {
    .array(
      updates.map { update in
        [
          "reason": .string(update.reason), "table": .string(update.table),
          "pk": .string(Base64.encode(update.key.bytes)),
        ]
      })
  }

  /// The document of a message. An action that is not known counts as a bug of the app.
  package init(json: JSONValue) throws(MessageError) {
    guard let message = json["message"]?.string, let logURL = json["logURL"]?.string,
      let tryAgain = json["tryAgain"]?.bool,
      let shouldClientReset = json["shouldClientReset"]?.bool,
      let isRecoveryModeDisabled = json["isRecoveryModeDisabled"]?.bool,
      let action = json["action"]?.string
    else { throw .badErrorDocument }
    self.init(
      message: message, action: ErrorAction(rawValue: action) ?? .applicationBug, logURL: logURL)
    self.tryAgain = tryAgain
    self.shouldClientReset = shouldClientReset
    self.isRecoveryModeDisabled = isRecoveryModeDisabled
    if let interval = json["backoffIntervalSec"]?.unsigned {
      retry = RetryHint(
        intervalSeconds: interval, delaySecondsMax: json["backoffMaxDelaySec"]?.unsigned,
        multiplier: json["backoffMultiplier"]?.unsigned)
    }
    partitionQuery = json["partitionQuery"]?.string
    previousSchemaVersion = json["previousSchemaVersion"]?.unsigned
    try addReport(json)
  }

  /// Adds the refused writes. Without a version that undoes them they are of asymmetric classes.
  private mutating func addReport(_ json: JSONValue) throws(MessageError) {
    guard let values = json["rejectedUpdates"]?.array else { return }
    guard let clientVersion = json["rejectedClientVersion"]?.unsigned
    else { throw .badErrorDocument }
    var updates: [RejectedUpdate] = []
    for value in values {
      guard let reason = value["reason"]?.string, let table = value["table"]?.string,
        let bytes = value["pk"]?.string.flatMap(Base64.decode),
        let key = try? RejectedKey(bytes: bytes)
      else { throw .badErrorDocument }
      updates.append(RejectedUpdate(reason: reason, table: table, key: key))
    }
    guard let number = json["compensatingWriteServerVersion"] else {
      refusedWrites = RefusedWriteReport(rejectedClientVersion: clientVersion, updates: updates)
      return
    }
    guard let serverVersion = number.unsigned else { throw .badErrorDocument }
    compensatingWrite = CompensatingWriteReport(
      serverVersion: serverVersion, rejectedClientVersion: clientVersion, updates: updates)
  }

  /// The document with texts of a number of bytes at most.
  func cut(toByteCount byteCountMax: Int) -> ErrorDocument {
    var document = self
    document.message = message.cut(toByteCount: byteCountMax)
    func cut(_ updates: [RejectedUpdate]) -> [RejectedUpdate] {
      updates.map { update in
        RejectedUpdate(
          reason: update.reason.cut(toByteCount: byteCountMax), table: update.table,
          key: update.key)
      }
    }
    if let report = compensatingWrite {
      document.compensatingWrite?.updates = cut(report.updates)
    }
    if let report = refusedWrites { document.refusedWrites?.updates = cut(report.updates) }
    return document
  }

  /// The action with the switch that forbids recovery taken into account.
  package var effectiveAction: ErrorAction {
    action == .clientReset && isRecoveryModeDisabled ? .clientResetNoRecovery : action
  }
}

/// The action of an error document.
package enum ErrorAction: String, CaseIterable, Hashable, Sendable {
  case protocolViolation = "ProtocolViolation"
  case applicationBug = "ApplicationBug"
  case warning = "Warning"
  case transient = "Transient"
  case deleteRealm = "DeleteRealm"
  case clientReset = "ClientReset"
  case clientResetNoRecovery = "ClientResetNoRecovery"
  case migrateToFlexible = "MigrateToFLX"
  case revertToPartition = "RevertToPBS"
  case refreshUser = "RefreshUser"
  case refreshLocation = "RefreshLocation"
  case logOutUser = "LogOutUser"
  case migrateSchema = "MigrateSchema"
}

/// The retry schedule of an error document, in place of the client's own.
package struct RetryHint: Hashable, Sendable {
  package var intervalSeconds: UInt64
  package var delaySecondsMax: UInt64?
  package var multiplier: UInt64?

  package init(
    intervalSeconds: UInt64, delaySecondsMax: UInt64? = nil, multiplier: UInt64? = nil
  ) {
    self.intervalSeconds = intervalSeconds
    self.delaySecondsMax = delaySecondsMax
    self.multiplier = multiplier
  }
}
