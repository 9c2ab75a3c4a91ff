// SPDX-License-Identifier: Apache-2.0

// The error codes of the protocol (P1 G).

/// A code of an error of a connection or of a session.
///
/// Other modules make it from the codes for sending; only the parser of this module makes others,
/// from received messages.
package struct ErrorCode: Hashable, Sendable {
  package let rawValue: Int

  package init(_ code: ConnectionErrorCode) { rawValue = code.rawValue }
  package init(_ code: SessionErrorCode) { rawValue = code.rawValue }
  init(received number: Int) { rawValue = number }

  package var connection: ConnectionErrorCode? { ConnectionErrorCode(rawValue: rawValue) }
  package var session: SessionErrorCode? { SessionErrorCode(rawValue: rawValue) }
  package var isOfSession: Bool { (200..<300).contains(rawValue) }
}

/// A code of an error of a connection, which ends it. The code 104 has no case: deployed clients
/// abort.
package enum ConnectionErrorCode: Int, CaseIterable, Hashable, Sendable {
  case connectionClosed = 100
  case other = 101
  case unknownMessage = 102
  case badSyntax = 103
  case wrongProtocolVersion = 105
  case badSessionIdent = 106
  case reuseOfSessionIdent = 107
  case boundInOtherSession = 108
  case badMessageOrder = 109
  case badDecompression = 110
  case badChangesetHeader = 111
  case badChangesetSize = 112
  case switchToFlexible = 113
  case switchToPartition = 114
}

/// A code of an error of a session. The codes 202, 203, 205, 207, 214, 215, 218 to 221 and 224 have
/// no case: deployed clients abort.
package enum SessionErrorCode: Int, CaseIterable, Hashable, Sendable {
  case sessionClosed = 200
  case other = 201
  case illegalRealmPath = 204
  case permissionDenied = 206
  case badClientFileIdent = 208
  case badServerVersion = 209
  case badClientVersion = 210
  case divergingHistories = 211
  case badChangeset = 212
  case badOriginFileIdent = 216
  case badClientFile = 217
  case clientFileExpired = 222
  case userMismatch = 223
  case invalidSchemaChange = 225
  case badQuery = 226
  case objectAlreadyExists = 227
  case permissionsChanged = 228
  case initialSyncNotCompleted = 229
  case writeNotAllowed = 230
  case compensatingWrite = 231
  case migrateToFlexible = 232
  case badProgress = 233
  case revertToPartition = 234
  case badSchemaVersion = 235
  case schemaVersionChanged = 236

  /// The text of an error as programs of the former service know it, who compare what it begins
  /// with, or all of it.
  package func deployedText(_ message: String) -> String {
    switch self {
    case .illegalRealmPath: "Illegal Realm path (BIND): \(message)"
    case .badClientFileIdent: "Bad client file identifier (IDENT)"
    case .invalidSchemaChange: "Invalid schema change (UPLOAD): \(message)"
    default: message
    }
  }

  /// The server's request with the code, if nothing else is known.
  package var usualAction: ErrorAction {
    switch self {
    case .sessionClosed, .initialSyncNotCompleted: .transient
    case .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories,
      .badChangeset, .badOriginFileIdent, .badClientFile, .clientFileExpired, .permissionsChanged,
      .writeNotAllowed, .badProgress:
      .clientReset
    case .compensatingWrite: .warning
    case .migrateToFlexible: .migrateToFlexible
    case .revertToPartition: .revertToPartition
    case .schemaVersionChanged: .migrateSchema
    case .other, .illegalRealmPath, .permissionDenied, .userMismatch, .invalidSchemaChange,
      .badQuery, .objectAlreadyExists, .badSchemaVersion:
      .applicationBug
    }
  }
}
