// SPDX-License-Identifier: Apache-2.0

// The inputs that fuzzing has kept: they reach most of what readers of strangers' bytes do, and
// those that were faults once are among them.

#if Tools && Server
import Foundation
import RealmFuzzTargets
import RealmTestSupport
import TestExtensions
import Testing

struct CorpusTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzzing/Corpus")

  private static func inputs(_ name: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: corpus.appending(path: name), includingPropertiesForKeys: nil)
  }

  /// Each reader takes its kept inputs, and those that fuzzing begins with.
  @Test(.heavy, arguments: FuzzTarget.all.map(\.name))
  func keptInputsAreReadOrRefused(_ name: String) async throws {
    let target = try #require(FuzzTarget.named(name))
    let folder = try TemporaryDirectory()
    var inputs = try Self.inputs(name).map { url in
      (url.lastPathComponent, Array(try Data(contentsOf: url)))
    }
    inputs += try target.seeds(folder).enumerated().map { ("seed \($0)", $1) }
    let (outcomes, failures) = await Self.run(target, inputs, folder)
    for failure in failures { Issue.record("\(name), \(failure)") }
    RandomRuns.report(outcomes.values.reduce(0, +), "kept inputs")
    // Both ways are taken.
    expectTrue(outcomes[.read, default: 0] > 0, "\(name)")
    expectTrue(outcomes[.refused, default: 0] > 0, "\(name)")
  }

  /// Calls a reader, on a thread of its own: some wait for tasks.
  private static func run(
    _ target: FuzzTarget, _ inputs: [(label: String, bytes: [UInt8])], _ folder: TemporaryDirectory
  ) async -> (outcomes: [FuzzTarget.Outcome: Int], failures: [String]) {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var outcomes: [FuzzTarget.Outcome: Int] = [:]
        var failures: [String] = []
        for (label, input) in inputs {
          do { outcomes[try target.run(input, folder), default: 0] += 1 } catch {
            failures.append("\(label): \(error)")
          }
        }
        continuation.resume(returning: (outcomes, failures))
      }
    }
  }

  /// Folders of readers that are gone would not be noticed.
  @Test func eachFolderIsOfAReader() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    expectEqual(folders.sorted(), FuzzTarget.all.map(\.name).sorted())
  }

  @Test func theCorpusIsSmall() throws {
    let sizes = try FuzzTarget.all.flatMap { target in
      try Self.inputs(target.name).map { try Data(contentsOf: $0).count }
    }
    // Twelve for each of the readers, and some that were faults.
    expectTrue(sizes.count <= 240, "\(sizes.count) inputs")
    expectTrue(sizes.reduce(0, +) <= 300 << 10, "\(sizes.reduce(0, +)) bytes")
  }
}
#endif
