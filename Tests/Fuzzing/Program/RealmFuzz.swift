// SPDX-License-Identifier: Apache-2.0

// Calls a reader of bytes with inputs: those of libFuzzer, or files.
//
//     realm-fuzz list                       the names of the readers
//     realm-fuzz seeds FOLDER               writes inputs to begin with, a folder for each reader
//     realm-fuzz run TARGET FILE...         calls a reader with the bytes of files
//     FUZZ_TARGET=TARGET realm-fuzz ...     gives the command line to libFuzzer
//
// The last form needs a build with `-DFUZZING -sanitize=fuzzer` (`Scripts/fuzz`). The name of the
// reader is not on the command line, as libFuzzer starts the program again with its own arguments.

#if Tools && Server
import Foundation
import RealmFuzzTargets
import RealmTestSupport

#if FUZZING
import FuzzDriver
#endif

@main
struct RealmFuzz {
  static let folder = Result { try TemporaryDirectory() }

  static func main() {
    do {
      try run()
    } catch {
      FileHandle.standardError.write(Data("realm-fuzz: \(error)\n".utf8))
      exit(error is Misuse ? 64 : 1)
    }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] {
      return try fuzz(target(name))
    }
    switch (arguments.first, arguments.count) {
    case ("--help", _), ("-h", _): print(Misuse.usage)
    case ("list", 1):
      for target in FuzzTarget.all { print(target.name, target.byteCountMax) }
    case ("seeds", 2): try writeSeeds(to: arguments.dropFirst().first ?? "")
    case ("run", 3...):
      let target = try target(arguments.dropFirst().first ?? "")
      for path in arguments.dropFirst(2) {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        print(try target.run(bytes, folder.get()), path)
      }
    default: throw Misuse("Unknown: \(arguments.joined(separator: " "))\n\n\(Misuse.usage)")
    }
  }

  /// A command line that cannot be carried out.
  private struct Misuse: Error, CustomStringConvertible {
    static let usage = "usage: realm-fuzz list | seeds FOLDER | run TARGET FILE..."
    let description: String

    init(_ text: String) { description = text }
  }

  private static func target(_ name: String) throws -> FuzzTarget {
    guard let target = FuzzTarget.named(name) else {
      throw Misuse("There is no reader '\(name)'. 'realm-fuzz list' lists them.")
    }
    return target
  }

  private static func writeSeeds(to folder: String) throws {
    for target in FuzzTarget.all {
      let place = URL(fileURLWithPath: folder).appendingPathComponent(target.name)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (number, seed) in try target.seeds(Self.folder.get()).enumerated() {
        try Data(seed).write(to: place.appendingPathComponent("seed-\(number)"))
      }
    }
  }

  #if FUZZING
  /// The reader that libFuzzer calls: its function has no room for a context. Unchecked, as it is
  /// set once, before libFuzzer begins, which calls it on this thread alone.
  nonisolated(unsafe) private static var called: FuzzTarget?

  private static func fuzz(_ target: FuzzTarget) throws {
    called = target
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    let code = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
      let input = Array(UnsafeBufferPointer(start: bytes, count: count))
      do {
        _ = try RealmFuzz.called?.run(input, RealmFuzz.folder.get())
      } catch {
        fatalError("\(error)")
      }
      return 0
    }
    exit(code)
  }
  #else
  private static func fuzz(_ target: FuzzTarget) throws {
    throw Misuse("This build has no fuzzer: Scripts/fuzz makes one that has.")
  }
  #endif
}
#endif
