// SPDX-License-Identifier: Apache-2.0

// The contents of a file under the name of a lock file, before they are changed.

/// Tells lock files from the files of others.
enum LockFileContents {
  /// The size of the beginning that is looked at.
  private static let beginByteCount = SharedMemory.busyMarkOffset

  /// Checks that a file is empty or was a lock file, of this library or of Realm Core.
  ///
  /// - Throws: `StorageError.foreignFile`; the file is left as it is.
  static func require(in file: any StorageFile) throws(StorageError) {
    let byteCount = try file.byteCount()
    if byteCount == 0 { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: beginByteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try unsafe file.read(into: buffer, at: 0)
    if unsafe !isLockFile(Array(buffer), byteCount: byteCount) {
      throw .foreignFile(
        path: file.path, role: "lock file", found: "a file with other contents")
    }
  }

  /// Whether a file begins as a lock file does, finished or not (file format 2.9.2 and 2.9.3).
  static func isLockFile(_ bytes: [UInt8], byteCount: Int) -> Bool {
    guard byteCount <= SharedMemory.byteCountMax, bytes[0] <= 1 else { return false }
    let layout = UInt16(bytes[6]) | UInt16(bytes[7]) << 8
    switch layout {
    case SharedMemory.layoutVersion: return isOurs(bytes)
    case 0: return isOurs(bytes) || bytes[0] == 0 && isCore(bytes)
    case 1...99: return isCore(bytes)
    default: return false
    }
  }

  /// Whether zeros stand between the fence and the revision.
  private static func isOurs(_ bytes: [UInt8]) -> Bool {
    bytes[1...3].allSatisfy { $0 == 0 } && bytes[5] == 0
      && bytes[8..<2048].allSatisfy { $0 == 0 }
      && (bytes[4] == 0 || bytes[4] == UInt8(FileHeader.supportedVersion))
      && bytes[2049..<2056].allSatisfy { $0 == 0 }
  }

  /// Whether the fields fit at the beginning of a lock file of Realm Core, in any layout.
  private static func isCore(_ bytes: [UInt8]) -> Bool {
    bytes[1] <= 200 && bytes[2] <= 200 && bytes[3] <= 1 && bytes[4] <= 100 && bytes[5] <= 10
      && bytes[9] == 0
  }
}
