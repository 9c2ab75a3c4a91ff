// SPDX-License-Identifier: Apache-2.0

// Compression compared with zlib itself, where Python has it.

import Foundation
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

struct ZlibOracleTests {
  /// Reads lines of data and of our stream; writes for each data what zlib makes of it.
  private static let script = """
    import sys, zlib
    unhex = bytes.fromhex
    for number, line in enumerate(open(sys.argv[1])):
        data, ours = (unhex(part) for part in line.rstrip("\\n").split(" "))
        assert zlib.decompress(ours) == data, number
        for level, strategy in ((0, 0), (1, 0), (6, 0), (9, 0), (6, 2), (6, 3), (6, 4)):
            encoder = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
            print((encoder.compress(data) + encoder.flush()).hex())
    """

  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: python != nil, "there is no python3"))
  func streamsAreReadBothWays() throws {
    let python = try #require(Self.python)
    let folder = FileManager.default.temporaryDirectory.appending(path: "zlib-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SeededGenerator(seed: 5)
    var samples = (0..<60).map { _ in random.data(random.size(upTo: 3_000)) }
    samples += [random.data(40_000), random.data(70_000), []]
    let lines = samples.map { "\(hex($0)) \(hex(Zlib.compress($0)))\n" }.joined()
    let (input, output) = (folder.appending(path: "input"), folder.appending(path: "output"))
    try Data(lines.utf8).write(to: input)
    try Data().write(to: output)
    let program = try SpawnedProgram(
      python, ["-c", Self.script, input.path], output: .file(output.path))
    expectEqual(program.waitUntilExit(), 0)
    let streams = String(decoding: try Data(contentsOf: output), as: UTF8.self)
      .split(separator: "\n")
    try #require(streams.count == samples.count * 7)
    for (index, stream) in streams.enumerated() {
      let data = samples[index / 7]
      try expectEqual(Zlib.decompress(bytes(String(stream)), byteCount: data.count), data)
    }
  }
}
