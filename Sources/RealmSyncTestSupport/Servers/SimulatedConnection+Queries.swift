// SPDX-License-Identifier: Apache-2.0

// The rules about a QUERY with what its client sends after it.

import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension SimulatedConnection {
  /// Whether the next message for the server is a QUERY.
  var isQueryNext: Bool { toServer.first?.starts(with: Array("query ".utf8)) ?? false }

  /// What is wrong with a request and its answer while a bootstrap is due.
  ///
  /// - An UPLOAD does not overtake the QUERY before it: a DOWNLOAD is asked for first.
  /// - No DOWNLOAD of an older query erases what the due query selects.
  func defects(
    of work: SimulatedServerEnvironment.Work, _ access: (any SessionAccess)?,
    _ server: SimulatedServer
  ) async -> [String] {
    switch (work.request, work.reply) {
    case (.setQuery(let query)?, .done?):
      dueQueries[work.session] = DueQuery(query: query)
    case (.integrate?, .refused(let refusal)?) where refusal.code == .badChangeset:
      // What devices write, or make again after a reset, fits.
      return ["an UPLOAD is refused: \(refusal.document.message)"]
    case (.integrate?, .integrated?):
      guard let due = dueQueries[work.session], !due.isAskedFor else { return [] }
      return ["an UPLOAD overtakes the QUERY \(due.query.version) before it"]
    case (.nextDownload?, .download(let download)?):
      dueQueries[work.session]?.isAskedFor = true
      guard let due = dueQueries[work.session]?.query,
        case .flexible(let version, let batch, _) = download.progress
      else { return [] }
      guard version < due.version else {
        if batch == .last { dueQueries[work.session] = nil }
        return []
      }
      return await wrongErasures(in: download, due, access, server)
    default: break
    }
    return []
  }

  private func wrongErasures(
    in download: ServerMessage.Download, _ due: VersionedQuery, _ access: (any SessionAccess)?,
    _ server: SimulatedServer
  ) async -> [String] {
    do {
      guard let document = QueryDocument(text: due.text) else { return [] }
      let objects = try await server.snapshot().objects
      var query = EffectiveQuery(document.queries)
      if let permissions = try await access?.rights(of: user, in: nil).permissions {
        for name in query.conditions.keys { query.filters[name] = permissions.filters[name] }
      }
      let view = try View.bind(query, to: objects).get()
      var problems: [String] = []
      for entry in try download.body.downloadEntries() where entry.file == .server {
        let changeset = try ChangesetParser.parse(entry.changeset)
        let made = Set(
          changeset.instructions.compactMap { instruction in
            if case .createObject(let object) = instruction {
              changeset.identity(of: object)
            } else {
              nil
            }
          })
        for case .eraseObject(let reference) in changeset.instructions {
          let object = changeset.identity(of: reference)
          guard !made.contains(object),
            let table = try objects.table(named: "class_" + object.className),
            let key = try table.key(of: object.key),
            try view.keys(ofClass: object.className, in: objects).contains(key)
          else { continue }
          problems.append("\(object) is erased, and the QUERY \(due.version) selects it")
        }
      }
      return problems
    } catch {
      return ["\(error)"]
    }
  }
}
