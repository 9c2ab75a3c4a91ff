// SPDX-License-Identifier: Apache-2.0

// Why an automatic client reset did not succeed.

import RealmReplication
package import RealmStorage

/// The error of an automatic client reset. The file is as it was before.
package enum ResetError: ErrorAboveStorage, Hashable, Sendable {
  /// An earlier reset did not get as far as a complete synchronisation.
  case repeated(String)
  /// The fresh copy lacks classes of the file.
  case removedClasses([String])
  /// The fresh copy lacks properties of the file.
  case removedProperties([String])
  /// The server does not let changes be made again.
  case recoveryForbidden
  /// A change cannot be made again, or the fresh copy does not fit the file.
  case unfit(String)
  /// Objects of a class cannot be adopted, as they have no primary key.
  case withoutPrimaryKey(String)
  /// The fresh copy cannot be downloaded.
  case download(String)
  /// The server asks for a reset of the fresh copy.
  case copyRefused(String)
  /// The realm could not be opened for a block of the program.
  case opening(String)
  /// The session was suspended, or ended; the reset is not under way any more.
  case cancelled
  case storage(StorageError)

  /// Whether a reset that discards may succeed where one that recovers had this error.
  var isOfRecovery: Bool {
    switch self {
    case .unfit, .removedClasses, .removedProperties: true
    default: false
    }
  }

  init(_ error: ApplyError) {
    switch error {
    case .badChangeset(.erasedSchema(let text), _): self = .unfit(text)
    case .badChangeset: self = .unfit("\(error)")
    case .storage(let error): self = .storage(error)
    }
  }
}

extension ResetError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .repeated(let text), .unfit(let text), .download(let text), .copyRefused(let text),
      .opening(let text):
      text
    case .removedClasses(let names):
      "Client reset cannot recover when classes have been removed: "
        + "{\(names.joined(separator: ", "))}"
    case .removedProperties(let names):
      "Client reset cannot recover when properties have been removed: "
        + "{\(names.joined(separator: ", "))}"
    case .withoutPrimaryKey(let name):
      "Objects of '\(name)' cannot be adopted: the class has no primary key. Open the file for "
        + "reading only, and copy them into a class that has one."
    case .recoveryForbidden:
      "A client reset with recovery is configured, and the server does not let changes be recovered"
    case .cancelled: "The client reset was cancelled"
    case .storage(let error): "\(error)"
    }
  }
}
