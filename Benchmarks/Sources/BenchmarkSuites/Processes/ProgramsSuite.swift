// SPDX-License-Identifier: Apache-2.0

// What programs of the root package measure, and what building an app takes.

package import BenchmarkSupport
import Foundation

/// The rows that no public API can measure: the recording of synced writes, commits
/// without checksums, the build of an app.
package final class ProgramsSuite: Suite {
  private let context: SuiteContext
  private let programs: ProgramPaths

  private static let recording = ReportRow(
    "sync-recording", "insert with recording for sync, × a local insert", .ratio,
    goals: [.atMost(1.5)])
  /// The commits of `realm-sync` that are measured with and without checksums.
  private static let checksums = [
    ("one", "commit of 1, with checksums"), ("many", "commit of 1000, with checksums"),
  ].map { id, name in
    (
      name: name,
      row: ReportRow(
        "checksums-commit-\(id)", "\(name), × the processor time of the same without", .ratio,
        goals: [.atMost(1.02)])
    )
  }
  private static let build = ReportRow(
    "app-build", "clean release build of an app, processor time", .seconds, goals: [.atMost(200)])

  package init(_ context: SuiteContext, _ programs: ProgramPaths) {
    self.context = context
    self.programs = programs
  }

  package func measure(round: Int, _ report: inout Report) throws {
    try measureRecording(&report)
    try measureChecksums(&report)
    // One build says enough: it takes minutes.
    if round == 0 { try measureBuild(&report) }
  }

  private func measureRecording(_ report: inout Report) throws {
    guard FileManager.default.isExecutableFile(atPath: programs.sync) else {
      return report.note(
        "not measured. In the root: swift build -c release --product realm-sync",
        in: Self.recording)
    }
    context.progress("the recording of synced writes")
    let output = context.folder.appending(path: "sync.txt")
    _ = try MeasuredProcess(programs.sync, ["insert"], output: output)
    let text = try String(contentsOf: output, encoding: .utf8)
    guard let local = Self.figure("insert, local", in: text),
      let recorded = Self.figure("insert, recorded", in: text)
    else { throw BenchmarkError("realm-sync said: \(text)") }
    report.add(local / recorded, Report.ours, to: Self.recording)
  }

  private func measureChecksums(_ report: inout Report) throws {
    guard FileManager.default.isExecutableFile(atPath: programs.sync) else { return }
    context.progress("commits with and without checksums")
    let output = context.folder.appending(path: "checksums.txt")
    _ = try MeasuredProcess(programs.sync, ["commit"], output: output)
    let text = try String(contentsOf: output, encoding: .utf8)
    for (name, row) in Self.checksums {
      guard let cost = Self.figure(name, in: text) else {
        throw BenchmarkError("realm-sync said: \(text)")
      }
      report.add(cost, Report.ours, to: row)
    }
  }

  /// The figure in a line that `realm-sync` printed: `NAME 123 objects/s (best 130)`.
  static func figure(_ name: String, in text: String) -> Double? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line?.dropFirst(name.count + 1).split(separator: " ").first.flatMap { Double($0) }
  }

  private func measureBuild(_ report: inout Report) throws {
    guard let repository = programs.repository else {
      return report.note("not measured. Add --build.", in: Self.build)
    }
    context.progress("the build of an app")
    let package = context.folder.appending(path: "app")
    let sources = package.appending(path: "Sources/app")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let root = URL(filePath: repository).standardizedFileURL.path
    try Data(Self.manifest(root).utf8).write(to: package.appending(path: "Package.swift"))
    try Data(Self.program.utf8).write(to: sources.appending(path: "App.swift"))
    let process = try MeasuredProcess(
      "/usr/bin/env", ["swift", "build", "-c", "release", "--package-path", package.path],
      output: context.folder.appending(path: "build.txt"))
    report.add(process.processorSeconds, Report.ours, to: Self.build)
  }

  private static func manifest(_ root: String) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "app",
      platforms: [.macOS(.v15)],
      dependencies: [.package(name: "OpenRealm", path: "\(root)")],
      targets: [
        .executableTarget(
          name: "app", dependencies: [.product(name: "RealmSwift", package: "OpenRealm")])
      ]
    )
    """
  }

  private static let program = """
    import RealmSwift

    final class Todo: Object {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
    }

    @main
    enum App {
      static func main() throws {
        let realm = try Realm()
        try realm.write { realm.create(Todo.self, value: ["id": 1, "name": "a"]) }
        print(realm.objects(Todo.self).count)
      }
    }
    """
}
