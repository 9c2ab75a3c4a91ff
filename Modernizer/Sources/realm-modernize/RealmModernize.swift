// SPDX-License-Identifier: Apache-2.0

// The program: shows what would change in the models of an app, or changes it.

import Foundation
import ModelModernizer

/// `realm-modernize [--write] PATH…`
@main struct RealmModernize {
  private static let usage = """
    usage: realm-modernize [--write] PATH...

    Rewrites models with '@objc dynamic var' as models with '@Persisted', in all Swift files of the
    folders and files named. Without --write it prints what would change, and changes nothing.

    """

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let writes = arguments.contains("--write")
    arguments.removeAll { $0 == "--write" }
    if arguments.contains("--help") || arguments.contains("-h") {
      return tell(.standardOutput, usage)
    }
    if let unknown = arguments.first(where: { $0.hasPrefix("-") }) {
      end("realm-modernize: There is no option \(unknown).\n\n\(usage)", 64)
    }
    if arguments.isEmpty { end("realm-modernize: Name a folder or a file.\n\n\(usage)", 64) }
    do {
      let files = try arguments.flatMap(paths).map { path in
        Modernizer.File(path: path, text: try String(contentsOfFile: path, encoding: .utf8))
      }
      let outcome = Modernizer.modernize(files)
      for diff in outcome.diffs { tell(.standardOutput, diff) }
      for note in outcome.notes {
        tell(.standardError, "\(note.file):\(note.line): note: \(note.text)\n")
      }
      if writes {
        for file in outcome.changed {
          try Data(file.text.utf8).write(to: URL(fileURLWithPath: file.path))
        }
      }
      let verb = writes ? "changed" : "would change (--write changes them)"
      tell(.standardError, "\(outcome.changed.count) of \(files.count) files \(verb)\n")
    } catch { end("realm-modernize: \(error.localizedDescription)\n", 1) }
  }

  /// The Swift files of a folder, in the order of their names; a file is itself. Folders of
  /// packages and of builds are left out.
  private static func paths(_ path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
    }
    guard isFolder.boolValue else { return [path] }
    let foreign: Set = ["Pods", "Carthage", "DerivedData"]
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().flatMap { name in
      let inner = path.hasSuffix("/") ? path + name : path + "/" + name
      var isFolder: ObjCBool = false
      guard !name.hasPrefix("."), !foreign.contains(name),
        FileManager.default.fileExists(atPath: inner, isDirectory: &isFolder)
      else { return [String]() }
      return isFolder.boolValue ? try paths(inner) : name.hasSuffix(".swift") ? [inner] : []
    }
  }

  private static func tell(_ handle: FileHandle, _ text: String) { handle.write(Data(text.utf8)) }

  private static func end(_ text: String, _ code: Int32) -> Never {
    tell(.standardError, text)
    exit(code)
  }
}
