// SPDX-License-Identifier: Apache-2.0

// DOWNLOAD messages, read by the rules of the page and not by the library's parser (P1 C.3).

#if Server
import RealmFormats
import Testing

/// A DOWNLOAD.
struct DeployedDownload {
  /// A changeset with its versions.
  struct Entry: Hashable {
    var server: Int
    var client: Int
    var timestamp: Int
    var origin: Int
    var originalSize: Int
    var changeset: [UInt8]
  }

  var session: Int
  var downloadServer: Int
  var downloadClient: Int
  var latestServer: Int
  var latestSalt: Int
  var uploadClient: Int
  var uploadServer: Int
  /// Nil in partition mode, as `batch` and `estimate` are.
  var queryVersion: Int?
  var batch: Int?
  var estimate: Double?
  var entries: [Entry] = []

  /// Reads a message; nil if it is not one.
  init?(_ message: [UInt8], isFlexible: Bool) throws {
    let end = try #require(message.firstIndex(of: 10))
    let fields = String(decoding: message[..<end], as: UTF8.self)
      .split(separator: " ", omittingEmptySubsequences: false)
    guard fields.first == "download" else { return nil }
    try #require(fields.count == (isFlexible ? 14 : 12), "\(fields)")
    let numbers = try fields.indices.dropFirst().map { index -> Int in
      if isFlexible, index == 10 { return 0 }
      let number = try #require(Int(fields[index]), "\(fields)")
      #expect(String(number) == fields[index], "leading zeros or a sign")
      return number
    }
    session = numbers[0]
    (downloadServer, downloadClient) = (numbers[1], numbers[2])
    (latestServer, latestSalt) = (numbers[3], numbers[4])
    (uploadClient, uploadServer) = (numbers[5], numbers[6])
    if isFlexible {
      (queryVersion, batch) = (numbers[7], numbers[8])
      estimate = Double(String(fields[10]))
      #expect(estimate != nil, "\(fields)")
    }
    let sizes = numbers.suffix(3).map { $0 }
    let body = Array(message[(end + 1)...])
    #expect(sizes[0] == 0 || sizes[0] == 1)
    #expect(body.count == (sizes[0] == 1 ? sizes[2] : sizes[1]))
    // Compression itself is tested with the bytes of zlib elsewhere.
    try read(sizes[0] == 1 ? try Zlib.decompress(body, byteCount: sizes[1]) : body)
  }

  private mutating func read(_ body: [UInt8]) throws {
    var rest = body[...]
    while !rest.isEmpty {
      var numbers: [Int] = []
      for _ in 0..<6 {
        let space = try #require(rest.firstIndex(of: 32))
        numbers.append(try #require(Int(String(decoding: rest[..<space], as: UTF8.self))))
        rest = rest[(space + 1)...]
      }
      try #require(rest.count >= numbers[5])
      entries.append(
        Entry(
          server: numbers[0], client: numbers[1], timestamp: numbers[2], origin: numbers[3],
          originalSize: numbers[4], changeset: Array(rest.prefix(numbers[5]))))
      rest = rest.dropFirst(numbers[5])
    }
  }
}
#endif
