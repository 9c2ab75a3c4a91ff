// SPDX-License-Identifier: Apache-2.0

// Where a copy of a database is written, plain or encrypted.

/// An empty file that gets the bytes of a database, one after the other.
package enum CopyTarget {
  case plain(any StorageFile)
  case encrypted(EncryptedCopy)

  /// A target that encrypts if there is a key.
  package init(_ file: any StorageFile, _ key: EncryptionKey?) throws(StorageError) {
    guard let key else {
      self = .plain(file)
      return
    }
    self = .encrypted(try EncryptedCopy(file, key))
  }

  var path: String {
    switch self {
    case .plain(let file): file.path
    case .encrypted(let copy): copy.path
    }
  }

  /// The length of the database must be a multiple of this.
  var alignment: Int {
    switch self {
    case .plain: 1
    case .encrypted: EncryptedLayout.pageByteCount
    }
  }

  /// Writes what comes at `position`: the end of what was written before.
  package func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(StorageError) {
    switch self {
    case .plain(let file): try unsafe file.write(bytes, at: position)
    case .encrypted(let copy): try unsafe copy.append(bytes)
    }
  }

  /// Makes all that was written durable. The last call.
  package func finish() throws(StorageError) {
    switch self {
    case .plain(let file): try file.sync()
    case .encrypted(let copy): try copy.finish()
    }
  }
}
