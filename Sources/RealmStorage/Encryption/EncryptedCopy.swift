// SPDX-License-Identifier: Apache-2.0

// An encrypted file that is written from its beginning to its end.
//
// 1. Each page is written once, so its counter is 1. The file gets its name and is read only when
//    it is complete, so the order of entries and pages does not matter.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Encrypts what it is given, a block at a time.
package final class EncryptedCopy {
  private let file: any StorageFile
  private let cipher: PageCipher
  private let block = EncryptedFile.Block()
  private var blockNumber = 0
  /// Bytes of the image in the block.
  private var count = 0

  private static let imageByteCount =
    EncryptedLayout.pagesPerBlock * EncryptedLayout.pageByteCount

  /// - Throws: `StorageError.encryptionUnavailable`.
  init(_ file: any StorageFile, _ key: EncryptionKey) throws(StorageError) {
    self.file = file
    cipher = try PageCipher(key, path: file.path)
  }

  var path: String { file.path }

  /// Adds bytes to the image.
  func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let part = unsafe rest.prefix(Self.imageByteCount - count)
      let target = unsafe UnsafeMutableRawBufferPointer(
        start: block.pages + count, count: part.count)
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      unsafe count += part.count
      unsafe rest = unsafe rest.dropFirst(part.count)
      if count == Self.imageByteCount { try writeBlock() }
    }
  }

  /// Writes what is left, which is whole pages, and makes the file durable.
  func finish() throws(StorageError) {
    // After a full block there is a page of entries without pages.
    try writeBlock()
    try file.sync()
  }

  private func writeBlock() throws(StorageError) {
    let pageByteCount = EncryptedLayout.pageByteCount
    unsafe memset(block.entries, 0, pageByteCount)
    for index in 0..<count / pageByteCount {
      let page = unsafe block.pages + index * pageByteCount
      let number = blockNumber * EncryptedLayout.pagesPerBlock + index
      try unsafe cipher.encrypt(page, number: number, counter: 1)
      let stamp = unsafe PageStamp(counter: 1, code: cipher.code(of: page))
      unsafe PageEntry(current: stamp, previous: .none)
        .store(to: block.entries + index * PageEntry.byteCount)
    }
    try unsafe file.write(
      UnsafeRawBufferPointer(start: block.entries, count: pageByteCount + count),
      at: EncryptedLayout.position(ofBlock: blockNumber))
    blockNumber += 1
    count = 0
  }
}
