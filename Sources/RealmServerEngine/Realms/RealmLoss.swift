// SPDX-License-Identifier: Apache-2.0

// The losses of a realm, for the operator.

package import RealmSyncProtocol

/// A loss of a realm, or of an upload in it.
package enum RealmLoss: Hashable, Sendable {
  /// The entries up to a version, which cannot be read: clients that need them are reset, or get
  /// the state.
  case entries(through: UInt64, reason: String)
  /// The part kept for a client is unreadable; the client is reset.
  case client(FileIdentifier, reason: String)
  /// Instructions of a client's upload were dropped without a rule that another one is later, as
  /// the client was not sent what happened to their objects.
  case instructions(of: FileIdentifier, count: Int, through: UInt64)

  /// Whether the store is damaged; otherwise a client stayed away for too long.
  package var isDamage: Bool {
    switch self {
    case .entries, .client: true
    case .instructions: false
    }
  }
}

extension RealmLoss: CustomStringConvertible {
  package var description: String {
    switch self {
    case .entries(let version, let reason):
      "The entries up to version \(version) are given up, as one cannot be read: \(reason)"
    case .client(let file, let reason):
      "The client with file \(file.rawValue) is reset, as its part cannot be read: \(reason)"
    case .instructions(let file, let count, let version):
      "\(count) instructions of file \(file.rawValue) up to its version \(version) are dropped: "
        + "they change objects of which the client was not sent the history"
    }
  }
}
