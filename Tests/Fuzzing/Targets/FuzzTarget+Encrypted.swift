// SPDX-License-Identifier: Apache-2.0

// Encrypted files that strangers without the key have changed.

#if Tools && Server
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools

extension FuzzTarget {
  private static let pageByteCount = 4_096
  private static let commandCountMax = 64

  /// Opens an encrypted file after changes of its bytes: the first byte says of which file, and
  /// each four bytes are a change of a byte or of pages, as one may make it who lacks the key. The
  /// file is refused, or has what it had before or an earlier version.
  static let encrypted = FuzzTarget(
    name: "encrypted", byteCountMax: 1 + 4 * commandCountMax,
    run: { input, folder in
      guard let first = input.first else { return .refused }
      let samples = try encryptedSamples.get()
      let sample = samples[Int(first) % samples.count]
      var bytes = sample.bytes
      for start in stride(from: 1, to: input.count - 3, by: 4) {
        change(&bytes, Array(input[start..<start + 4]))
      }
      let path = try folder.write(bytes, "input.realm")
      defer { folder.remove("input.realm.lock") }
      let content: String
      do throws(StorageError) {
        let snapshot = try DatabaseFile.openForReading(path: path, key: sample.key).file.snapshot()
        guard try DatabaseCheck.run(snapshot).isEmpty else { return .refused }
        content = try text(of: snapshot)
      } catch { return .refused }
      guard sample.contents.contains(content) else {
        throw Finding("a changed file is read without an error: \(content)")
      }
      return .read
    },
    seeds: { _ in
      [
        [0], [1],
        // Bytes of an entry, of its older half, and of a page.
        [0, 0, 0, 0, 255], [0, 0, 0, 4, 1], [1, 0, 0, 36, 1], [0, 0, 16, 9, 1],
        // Exchanged and repeated pages, a page that is missing, and exchanged entries.
        [0, 1, 1, 2, 0], [1, 1, 2, 3, 0], [0, 2, 1, 2, 0], [0, 3, 32, 0, 0], [1, 4, 0, 1, 63],
        [1, 4, 1, 2, 32],
      ]
    })

  /// Carries out a change: its kind, and three numbers.
  private static func change(_ bytes: inout [UInt8], _ command: [UInt8]) {
    let pageCount = bytes.count / pageByteCount
    guard pageCount > 0 else { return }
    let (first, second) = (Int(command[1]) % pageCount, Int(command[2]) % pageCount)
    let place = { (page: Int) in page * pageByteCount..<(page + 1) * pageByteCount }
    let index = (Int(command[1]) << 8 | Int(command[2])) % bytes.count
    switch command[0] % 5 {
    case 0: bytes[index] ^= command[3]
    case 1:
      let page = Array(bytes[place(first)])
      bytes.replaceSubrange(place(first), with: bytes[place(second)])
      bytes.replaceSubrange(place(second), with: page)
    case 2: bytes.replaceSubrange(place(first), with: bytes[place(second)])
    case 3: bytes.removeLast(bytes.count - max(index, 1))
    default:
      // An entry of the first page of entries, as it was or another's.
      let (from, to) = (Int(command[1]) % 64 * 64, Int(command[2]) % 64 * 64)
      let count = min(Int(command[3]) % 64 + 1, 64)
      for offset in 0..<count where max(from, to) + offset < bytes.count {
        bytes[to + offset] = bytes[from + offset]
      }
    }
  }

  /// An encrypted file, and what its versions had.
  private struct EncryptedSample: Sendable {
    let key: EncryptionKey
    let bytes: [UInt8]
    let contents: Set<String>
  }

  /// A file that was written once, and one with several versions.
  private static let encryptedSamples = Result {
    let folder = try TemporaryDirectory()
    return try [1, 4].map { count in
      guard let key = EncryptionKey([UInt8](repeating: UInt8(count), count: 64)) else {
        throw Finding("64 bytes are no key")
      }
      let path = folder.file("sample-\(count).realm")
      var contents: Set<String> = []
      do {
        let file = try DatabaseFile.open(path: path, options: OpenOptions(encryptionKey: key))
        contents.insert(try text(of: file.snapshot()))
        for version in 0..<count {
          let group = try WriteGroup(file.beginWrite())
          try group.orRollback {
            if version == 0 {
              let table = try group.createTable(named: "class_Dog")
              _ = try table.addColumn(named: "name", type: .string)
              _ = try table.addColumn(named: "age", type: .int)
            }
            if let table = try group.tableKeys().first.flatMap({ try group.table($0) }) {
              for index in 0..<3 {
                let (key, _) = try table.createObject()
                for column in table.schema.columns {
                  let value: TableValue =
                    column.type == .int
                    ? .int(Int64(version * 10 + index)) : .string("dog \(index)")
                  try table.set(value, column, key)
                }
              }
            }
            _ = try group.commit()
          }
          contents.insert(try text(of: file.snapshot()))
        }
      }
      return EncryptedSample(
        key: key, bytes: try folder.bytes("sample-\(count).realm"), contents: contents)
    }
  }

  private static func text(of snapshot: Snapshot) throws(StorageError) -> String {
    JSONWriter.text(try ContentDump(try TableGroup(snapshot)).json())
  }
}
#endif
