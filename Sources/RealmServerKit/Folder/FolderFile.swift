// SPDX-License-Identifier: Apache-2.0

// A file of a backup, by which a damaged or incomplete one is found.

#if Server
import Crypto
import Foundation
import RealmStorage

/// A file, its size and its digest.
package struct FolderFile: Hashable, Sendable {
  private static let partByteCount = 1 << 20

  /// The path from the folder on.
  package let path: String
  package let byteCount: Int
  /// SHA-256 in hexadecimal digits.
  package let digest: String

  init(path: String, byteCount: Int, digest: String) {
    self.path = path
    self.byteCount = byteCount
    self.digest = digest
  }

  /// Reads a file of a folder.
  init(_ path: String, in folder: String) throws(ServerFailure) {
    self.path = path
    var count = 0
    var hash = SHA256()
    try Self.read("\(folder)/\(path)") { (part) throws(ServerFailure) in
      count += part.count
      hash.update(data: part)
    }
    byteCount = count
    digest = hash.finalize().map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count == 2 ? digits : "0" + digits
    }.joined()
  }

  /// Copies a file, for its owner alone. Content and name are on the disk on return.
  static func copy(_ path: String, to target: String) throws(ServerFailure) {
    let files = SystemFiles(isPrivate: true)
    do throws(StorageError) {
      let copy = try files.open(path: target, mode: .readWriteCreating)
      var position = 0
      var failure: StorageError?
      do throws(ServerFailure) {
        try read(path) { (part) throws(ServerFailure) in
          guard failure == nil else { return }
          failure = unsafe part.withUnsafeBytes { bytes -> StorageError? in
            do throws(StorageError) {
              try unsafe copy.write(bytes, at: position)
              return nil
            } catch {
              return error
            }
          }
          position += part.count
        }
      } catch {
        throw StorageError.system(operation: "Reading", path: path, code: EIO)
      }
      if let failure { throw failure }
      try copy.sync()
      try files.syncDirectory(of: target)
    } catch {
      throw ServerFailure(
        "\(path) cannot be copied to \(target): \(ServerFailure.text(error)). Make room, or change "
          + "the permissions.")
    }
  }

  private static func read(
    _ path: String, _ body: (Data) throws(ServerFailure) -> Void
  ) throws(ServerFailure) {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw ServerFailure("\(path) cannot be read. Put it back, or change its permissions.")
    }
    defer { try? handle.close() }
    while true {
      let part: Data
      do {
        part = try handle.read(upToCount: partByteCount) ?? Data()
      } catch {
        throw ServerFailure("\(path) cannot be read: \(ServerFailure.text(error)).")
      }
      if part.isEmpty { return }
      try body(part)
    }
  }
}
#endif
