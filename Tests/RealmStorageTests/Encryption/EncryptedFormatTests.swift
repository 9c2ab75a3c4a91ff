// SPDX-License-Identifier: Apache-2.0

// The bytes of encrypted files (file format 2.8 and 5.4).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EncryptedFormatTests {
  private func bytes(_ digits: String) -> [UInt8] {
    digits.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
  }

  @Test func anEmptyFileIsTheTestVector() throws {
    let system = try SimulatedFileSystem()
    try expectEqual(system.openDatabase(key: TestKeys.vector()).newestVersion, 1)
    let contents = try system.file.contents()
    expectEqual(contents.count, 8192)
    let entry = bytes(
      """
      01 00 00 00 f4 0d 4c 68 3e 49 11 23 f6 91 39 50
      5f 94 ff d3 00 36 a1 56 a3 0b 2a 5b 74 cb a2 e6
      """)
    expectEqual(Array(contents[..<32]), entry)
    #expect(contents[32..<4096].allSatisfy { $0 == 0 })
    let cipherText = bytes(
      """
      c7 b5 19 84 6a 11 41 1c d6 ac 07 cb 03 f8 01 a8 bc 7a 07 c2 97 c7 55 f6
      55 54 4b ec 4d 7c 7f 5a 99 c8 a6 1b 19 04 4c 42 a9 9f ce b8 e4 0e 5c b6
      07 23 16 12 b0 e9 29 e6 ef 56 34 c1 2a 49 09 ae
      """)
    expectEqual(Array(contents[4096..<4160]), cipherText)
  }

  @Test func lengthsOfFileAndImageFollowFromEachOther() {
    expectEqual(EncryptedLayout.fileByteCount(image: 4096), 8192)
    for pages in 1...400 {
      let image = pages * 4096
      let file = EncryptedLayout.fileByteCount(image: image)
      expectEqual(EncryptedLayout.imageByteCount(file: file), image)
      expectEqual(EncryptedLayout.imageByteCount(file: file + 4095), image)
      let last = EncryptedLayout.position(ofPage: pages - 1) + 4096
      expectTrue(last <= file)
      expectEqual(file - last, (pages % 64 == 0 ? 4096 : 0))
    }
    expectEqual(EncryptedLayout.imageByteCount(file: 0), 0)
    expectEqual(EncryptedLayout.imageByteCount(file: 4096), 0)
  }

  @Test func keysHaveSixtyFourBytesAndCompareByThem() throws {
    expectEqual(EncryptionKey([UInt8](repeating: 1, count: 63)), nil)
    expectEqual(EncryptionKey([UInt8](repeating: 1, count: 65)), nil)
    expectEqual(EncryptionKey([]), nil)
    try expectEqual(TestKeys.vector(), TestKeys.vector())
    #expect(try TestKeys.vector() != TestKeys.other())
    var bytes = (0..<64).map { UInt8($0) }
    bytes[63] ^= 1
    #expect(try EncryptionKey(bytes) != TestKeys.vector())
  }

  /// `EncryptedFile` 4.
  @Test func nothingOfTheContentsIsInTheFile() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(key: TestKeys.vector())
    let secret: Int64 = 0x5EC2_E75E_C2E7_5EC2
    let write = try file.beginWrite()
    try NumberTree.replace(with: [Int64](repeating: secret, count: 300), in: write)
    _ = try write.commit(changeset: [])
    let pattern = withUnsafeBytes(of: secret.littleEndian) { Array($0) }
    let contents = Data(try system.file.contents())
    expectEqual(contents.range(of: Data(pattern)), nil)
    expectEqual(contents.range(of: Data("T-DB".utf8)), nil)
    expectEqual(contents.range(of: Data([0x41, 0x41, 0x41, 0x41])), nil)
  }

  /// The counter of a page goes up with each write, also after one that did not arrive.
  @Test func countersAreNeverUsedTwice() throws {
    let system = try SimulatedFileSystem()
    var seen: Set<[UInt8]> = []
    for step in 0..<12 {
      let file = try system.openDatabase(key: TestKeys.vector())
      let write = try file.beginWrite()
      try NumberTree.replace(with: [Int64(step)], in: write)
      if step % 3 == 2 {
        // The session has synced what it found; the entries are written, the pages are not.
        system.file.failSync(after: 2)
        #expect(throws: StorageError.self) { try write.commit(changeset: []) }
      } else {
        _ = try write.commit(changeset: [])
      }
      #expect(seen.insert(Array(try system.file.contents()[..<4])).inserted)
    }
  }

  /// `EncryptedCopy` 1.
  @Test func pagesOfACopyAreWrittenOnce() throws {
    let key = try TestKeys.vector()
    let file = try SimulatedFileSystem().openDatabase(key: key)
    for round in 1...3 as ClosedRange<Int64> {
      let write = try file.beginWrite()
      try NumberTree.replace(with: (0..<40_000).map { $0 &* round << 40 }, in: write)
      _ = try write.commit(changeset: [])
    }
    let copy = try SimulatedFileSystem()
    try file.snapshot().write(to: copy.file, key: key)
    let contents = try copy.file.contents()
    let pageCount = EncryptedLayout.imageByteCount(file: contents.count) / 4096
    expectTrue(pageCount > EncryptedLayout.pagesPerBlock)
    for page in 0..<pageCount {
      let (block, index) = page.quotientAndRemainder(dividingBy: EncryptedLayout.pagesPerBlock)
      let entry = EncryptedLayout.position(ofBlock: block) + index * 64
      expectEqual(Array(contents[entry..<entry + 4]), [1, 0, 0, 0], "page \(page)")
    }
    var written = 0
    for case .write(_, let bytes) in copy.file.trace { written += bytes.count }
    expectEqual(written, contents.count)
  }

  @Test func runsOfBits() {
    expectEqual(UInt64(0).runs, [])
    expectEqual(UInt64.max.runs, [0..<64])
    expectEqual((UInt64(1) | UInt64(6) << 60).runs, [0..<1, 61..<63])
    expectEqual((UInt64(3) << 62).runs, [62..<64])
  }
}
