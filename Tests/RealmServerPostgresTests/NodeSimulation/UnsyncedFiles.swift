// SPDX-License-Identifier: Apache-2.0

// Files of processes that are killed while their machine goes on: nothing waits for the disk.

#if Postgres
import RealmStorage

/// The files of the system, whose syncs do nothing.
struct UnsyncedFiles: FileSystem {
  private let files = SystemFiles(isPrivate: true)

  func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    UnsyncedFile(try files.open(path: path, mode: mode))
  }

  func syncDirectory(of path: String) {}
}

/// A file whose syncs do nothing.
private final class UnsyncedFile: LayeredFile {
  let file: any StorageFile

  init(_ file: any StorageFile) { self.file = file }

  func byteCount() throws(StorageError) -> Int { try file.byteCount() }

  func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    try file.readSome(into: buffer, at: offset)
  }

  func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    try file.writeSome(bytes, at: offset)
  }

  func syncOnce() {}

  func resize(to byteCount: Int) throws(StorageError) { try file.resize(to: byteCount) }

  func allocate(_ range: Range<Int>) throws(StorageError) { try file.allocate(range) }

  func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) {
    try file.map(range, at: address, isWritable: isWritable)
  }
}
#endif
