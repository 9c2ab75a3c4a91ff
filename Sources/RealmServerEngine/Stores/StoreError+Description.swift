// SPDX-License-Identifier: Apache-2.0

// The errors of stores in words for the operator.

import RealmStorage
import RealmSyncProtocol

extension StoreError {
  /// Whether the disk is full.
  package var isDiskFull: Bool {
    if case .storage(let error) = self { error.isDiskFull } else { false }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .storage(let error) where error.isDiskFull: "The disk is full. \(error)"
    case .storage(let error): error.description
    case .fenced: "Another owner has opened the realm since."
    case .conflict: "The realm has a newer version than was expected."
    case .outOfOrder(let reason): "A version or cursor is out of order: \(reason)"
    case .unknownRealm(let realm): "The realm \(realm.rawValue) was not opened."
    case .unknownFile(let file): "The client file \(file.rawValue) is unknown."
    case .ambiguousName(let name): "Another realm has the place of \(name)."
    case .trimmed(let version): "The entries through version \(version) are trimmed."
    case .limit(let reason): "A limit is reached: \(reason)"
    case .unreadableEntry(let version, let reason):
      "The entry of version \(version) cannot be read: \(reason)"
    case .unreadableFile(let file, let reason):
      "What is stored for the client file \(file.rawValue) cannot be read: \(reason)"
    case .tooManyOpenRealms: "As many realms are open as may be, and all of them are in use."
    case .tooManyNewRealms: "The user has made as many realms as one may in an hour."
    case .damaged(let reason): "What is stored is damaged: \(reason)"
    case .unavailable(let reason): "The store does not answer: \(reason)"
    }
  }
}
