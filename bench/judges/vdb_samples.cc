// Writes sample files with OpenVDB itself, in the compressions its Python module cannot choose.
// Used by vdb_openvdb.py, and for the fixtures of crates/whitecap-io/tests.
//
//   g++ -O1 -std=c++17 vdb_samples.cc -lopenvdb -ltbb -lImath -o vdb_samples && ./vdb_samples FOLDER

#include <cmath>
#include <fstream>
#include <string>

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetSphere.h>

using namespace openvdb;

static FloatGrid::Ptr levelSet(float radius)
{
    auto grid = tools::createLevelSetSphere<FloatGrid>(radius, Vec3f(0.3f, -0.7f, 0.5f), 0.1f, 3.0f);
    grid->setName("surface");
    grid->transform().postTranslate(Vec3d(1.5, -2.25, 0.125));
    return grid;
}

static FloatGrid::Ptr fog()
{
    auto grid = FloatGrid::create(0.0f);
    grid->setName("density");
    grid->setGridClass(GRID_FOG_VOLUME);
    grid->setTransform(math::Transform::createLinearTransform(0.25));
    auto accessor = grid->getAccessor();
    for (int i = 0; i < 2000; ++i) {
        accessor.setValue(Coord(i % 23 - 11, (i * 7) % 31 - 40, i % 17), 0.5f + 0.5f * std::sin(0.1f * i));
    }
    // Inactive values other than the background, and tiles of every size that is practical.
    for (int i = 0; i < 40; ++i) accessor.setValueOff(Coord(100 + i, i, 5), 0.25f);
    for (int i = 0; i < 40; ++i) accessor.setValueOff(Coord(200 + i, i, 5), i % 2 ? 0.25f : 0.75f);
    for (int i = 0; i < 40; ++i) accessor.setValueOff(Coord(300 + i, i, 5), 0.01f * i);
    grid->tree().addTile(1, Coord(-200, 0, 0), 0.5f, true);
    grid->tree().addTile(1, Coord(-208, 0, 0), 0.75f, false);
    grid->tree().addTile(2, Coord(1024, 0, 0), 0.125f, true);
    grid->tree().addTile(3, Coord(8192, 0, 0), 0.0f, true);
    return grid;
}

template<typename VectorGrid> static typename VectorGrid::Ptr velocity()
{
    using Vector = typename VectorGrid::ValueType;
    auto grid = VectorGrid::create(Vector(0.0));
    grid->setName("velocity");
    grid->setGridClass(GRID_STAGGERED);
    grid->setTransform(math::Transform::createLinearTransform(0.5));
    auto accessor = grid->getAccessor();
    for (int i = 0; i < 1500; ++i) {
        const float t = 0.01f * i;
        accessor.setValue(Coord(i % 19, i % 13 - 6, i / 90), Vector(t, std::cos(t), -t));
    }
    accessor.setValueOff(Coord(4000, -4000, 0), Vector(1.0, 2.0, 3.0));
    return grid;
}

int main(int count, char** arguments)
{
    initialize();
    const std::string folder = count > 1 ? arguments[1] : ".";
    const GridCPtrVec all{levelSet(2.0f), fog(), velocity<Vec3SGrid>()};
    const auto write = [&](const std::string& name, const GridCPtrVec& grids, uint32_t compression) {
        io::File file(folder + "/" + name + ".vdb");
        file.setCompression(compression);
        file.write(grids);
    };
    write("none", all, io::COMPRESS_NONE);
    write("mask", all, io::COMPRESS_ACTIVE_MASK);
    write("zip", all, io::COMPRESS_ZIP | io::COMPRESS_ACTIVE_MASK);
    write("zip_all", all, io::COMPRESS_ZIP);
    write("blosc", all, io::COMPRESS_BLOSC | io::COMPRESS_ACTIVE_MASK);
    write("blosc_all", all, io::COMPRESS_BLOSC);
    write("wide", {DoubleGrid::Ptr(new DoubleGrid(*fog())), velocity<Vec3DGrid>()},
        io::COMPRESS_BLOSC | io::COMPRESS_ACTIVE_MASK);

    GridCPtrVec halves;
    for (const auto& grid : all) {
        auto half = ConstPtrCast<GridBase>(grid)->deepCopyGrid();
        half->setSaveFloatAsHalf(true);
        halves.push_back(half);
    }
    write("half", halves, io::COMPRESS_BLOSC | io::COMPRESS_ACTIVE_MASK);
    write("half_none", halves, io::COMPRESS_NONE);
    write("half_zip", halves, io::COMPRESS_ZIP | io::COMPRESS_ACTIVE_MASK);

    // One tree under two names and transforms, two grids of one name, and kinds that are skipped.
    auto parent = fog();
    auto instance = parent->copy();
    instance->setName("instance");
    instance->setTransform(math::Transform::createLinearTransform(2.0));
    write("instances", {parent, instance, fog(), BoolGrid::create(), Int32Grid::create()},
        io::COMPRESS_ACTIVE_MASK);

    // Transforms in every form that is a uniform scale.
    GridCPtrVec maps;
    const auto add = [&](math::MapBase::Ptr map) {
        auto grid = fog();
        grid->setName(map->type());
        grid->setTransform(math::Transform::Ptr(new math::Transform(map)));
        maps.push_back(grid);
    };
    add(math::MapBase::Ptr(new math::ScaleMap(Vec3d(0.25))));
    add(math::MapBase::Ptr(new math::UniformScaleMap(0.25)));
    add(math::MapBase::Ptr(new math::ScaleTranslateMap(Vec3d(0.25), Vec3d(1, 2, 3))));
    add(math::MapBase::Ptr(new math::UniformScaleTranslateMap(0.25, Vec3d(1, 2, 3))));
    add(math::MapBase::Ptr(new math::TranslationMap(Vec3d(1, 2, 3))));
    Mat4d matrix = Mat4d::identity();
    matrix.preScale(Vec3d(0.25));
    matrix.setTranslation(Vec3d(1, 2, 3));
    add(math::MapBase::Ptr(new math::AffineMap(matrix)));
    write("maps", maps, io::COMPRESS_BLOSC | io::COMPRESS_ACTIVE_MASK);

    // Without offsets, as from a stream.
    std::ofstream stream(folder + "/stream.vdb", std::ios_base::binary);
    io::Stream(stream).write(all);

    // Small files, for fixtures.
    auto smallFog = FloatGrid::create(0.0f);
    smallFog->setName("density");
    smallFog->setGridClass(GRID_FOG_VOLUME);
    smallFog->setTransform(math::Transform::createLinearTransform(0.25));
    auto smallVelocity = Vec3SGrid::create(Vec3s(0.0f));
    smallVelocity->setName("velocity");
    smallVelocity->setGridClass(GRID_STAGGERED);
    smallVelocity->setTransform(math::Transform::createLinearTransform(0.5));
    smallVelocity->setSaveFloatAsHalf(true);
    for (int x = -11; x < 0; ++x)
        for (int y = 0; y < 8; ++y)
            for (int z = 0; z < 8; ++z) {
                const float value = 0.25f * x + 0.5f * y - 0.125f * z;
                smallFog->tree().setValue(Coord(x, y, z), value);
                smallVelocity->tree().setValue(Coord(x, y, z), Vec3s(value, -value, 1.0f));
            }
    smallFog->tree().addTile(1, Coord(-64, 8, 0), 0.5f, true);
    smallFog->tree().setValueOff(Coord(-40, 0, 1), 0.75f);
    smallFog->tree().setValueOff(Coord(-40, 0, 2), 0.5f);
    write("small_fog_blosc", {smallFog}, io::COMPRESS_BLOSC | io::COMPRESS_ACTIVE_MASK);
    write("small_velocity_half_zip", {smallVelocity}, io::COMPRESS_ZIP | io::COMPRESS_ACTIVE_MASK);
}
