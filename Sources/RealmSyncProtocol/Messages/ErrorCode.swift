// SPDX-License-Identifier: Apache-2.0

// The code of an error as messages carry it.

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
  package var isOfConnection: Bool { (100..<200).contains(rawValue) }
  package var isOfSession: Bool { (200..<300).contains(rawValue) }
}
