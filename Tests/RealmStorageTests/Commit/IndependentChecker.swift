// SPDX-License-Identifier: Apache-2.0

// A second opinion on the files that tests write.

import Foundation
import RealmTestSupport

/// Runs the independent reader of the file format, where it is installed.
enum IndependentChecker {
  /// Checks the container, the nodes and the space, not what the tables hold: tests of the storage
  /// engine write trees that are no tables.
  private static let script = """
    import importlib.util, sys
    spec = importlib.util.spec_from_file_location('reader', sys.argv[1])
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    def load(self):
        top = self.top = self.node(self.top_ref)
        tag = lambda index: top.tagged_at(index, 0) if top.size > index else None
        self.logical, self.version, self.hist_type = tag(2), tag(6), tag(7)
        self.hist_ref = top.ref_at(8) if top.size > 8 else 0
    reader.RealmFile._load = load
    file = reader.RealmFile(sys.argv[2])
    checker = reader.Checker(file)
    if file.top is not None:
        checker.walk()
        checker.space()
        changesets = file.changesets()
        if changesets is not None and len(changesets) > (file.version or 0):
            checker.err('more changesets than versions')
    print(checker.errors, checker.warnings)
    sys.exit(1 if checker.errors else 0)
    """

  /// What the checker has to say about the container, or nil if it is content or absent.
  ///
  /// - Parameter tables: Whether to check what the tables hold, too.
  static func findings(_ path: String, tables: Bool = false) throws -> String? {
    guard ReferenceReader.isAvailable else { return nil }
    let run = try SpawnedProgram.run(
      ReferenceReader.python,
      tables
        ? [ReferenceReader.script, path, "--check"] : ["-c", script, ReferenceReader.script, path])
    return run.status == 0 ? nil : run.output + run.errors
  }
}
